import { createHash, timingSafeEqual } from "node:crypto";
import { chmod, link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unlessMissing } from "../../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Random } from "../../../core/port/platform.ts";
import { syncFolder } from "../../base/sync-folder.ts";

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** Returns 256 random bits in 43 URL-safe characters. */
export function newToken(random: Random): string {
  return Buffer.from(random.bytes(32)).toString("base64url");
}

/**
 * Returns the token of a data directory, created at the first start in the file `token`, which only its owner may read.
 * It never changes, so an open page reconnects after a restart. `note` receives messages for the owner.
 */
export async function tokenOf(
  dataDirectory: string,
  random: Random,
  note: (sentence: string) => void = () => {},
): Promise<Result<string, Refusal>> {
  const file = join(dataDirectory, "token");
  try {
    const kept = await readFile(file, "utf8").catch(unlessMissing);
    if (kept?.trim() === "") {
      // What a power cut leaves of a file that was being made.
      await rm(file);
      note(
        `${file} was empty, so there is a new token: open Heddle by the address below; older addresses are refused.`,
      );
    }
    const token = kept === undefined || kept.trim() === "" ? await makeToken(file, random) : kept;
    if (!tokenPattern.test(token.trim())) {
      return err(unusable(file, `${file} holds no token. Remove it to get a new one.`));
    }
    if (await closeToOthers(file)) {
      note(
        `Others could read ${file}; now only you can. If you share this machine, remove it: the next start creates another.`,
      );
    }
    return ok(token.trim());
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    return err(unusable(file, `The token in ${file} cannot be used: ${reason}.`));
  }
}

async function makeToken(file: string, random: Random): Promise<string> {
  const token = newToken(random);
  // A unique name: a killed start leaves its draft behind, and in a container all processes have one id.
  const draft = `${file}.${Buffer.from(random.bytes(8)).toString("hex")}`;
  try {
    await writeFile(draft, `${token}\n`, { mode: 0o600, flag: "wx", flush: true });
    // Linking creates the file whole or not at all, and never replaces one that another process has just created.
    await link(draft, file);
    await syncFolder(dirname(file));
    return token;
  } catch (problem) {
    const theirs = await readFile(file, "utf8").catch(unlessMissing);
    if (theirs !== undefined) return theirs;
    throw problem;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Returns whether other users could read the file until now. Without such permissions (Windows), the folder's apply.
 */
async function closeToOthers(file: string): Promise<boolean> {
  if (process.platform === "win32" || ((await stat(file)).mode & 0o077) === 0) return false;
  await chmod(file, 0o600);
  return true;
}

function unusable(file: string, message: string): Refusal {
  return refusal("STORE_FAILED", { path: file }, message);
}

/** Compares in constant time, which reveals nothing about where two tokens differ. */
export function isSameToken(expected: string, given: string): boolean {
  return timingSafeEqual(digest(expected), digest(given));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
