import { createHash, timingSafeEqual } from "node:crypto";
import { chmod, link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unlessMissing } from "../../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Random } from "../../../core/port/platform.ts";

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits in 43 characters that an address takes as they are. */
export function newToken(random: Random): string {
  return Buffer.from(random.bytes(32)).toString("base64url");
}

/**
 * The token of a data directory, made at the first start and kept in the file `token`, which only its owner may read. It
 * stays the same, so that an open page comes back after a restart. `note` is told what the owner should know of it.
 */
export async function tokenOf(
  dataDirectory: string,
  random: Random,
  note: (sentence: string) => void = () => {},
): Promise<Result<string, Refusal>> {
  const file = join(dataDirectory, "token");
  try {
    const token = (await readFile(file, "utf8").catch(unlessMissing)) ?? (await makeToken(file, random));
    if (!tokenPattern.test(token.trim())) {
      return err(unusable(file, `${file} holds no token; remove it to get a new one.`));
    }
    if (await closeToOthers(file)) {
      note(
        `Others could read ${file}; now only you can. If you share this machine, remove it: the next start makes another.`,
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
  // A name that no other start has: one that was killed leaves its draft, and in a container all have one process id.
  const draft = `${file}.${Buffer.from(random.bytes(8)).toString("hex")}`;
  try {
    await writeFile(draft, `${token}\n`, { mode: 0o600, flag: "wx" });
    // Linking makes the file whole or not at all, and never over one that another process has just made.
    await link(draft, file);
    return token;
  } catch (problem) {
    const theirs = await readFile(file, "utf8").catch(unlessMissing);
    if (theirs !== undefined) return theirs;
    throw problem;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Whether others had a right to the file until now. Where files have no such rights (Windows), the folder's hold. */
async function closeToOthers(file: string): Promise<boolean> {
  if (process.platform === "win32" || ((await stat(file)).mode & 0o077) === 0) return false;
  await chmod(file, 0o600);
  return true;
}

function unusable(file: string, message: string): Refusal {
  return refusal("STORE_FAILED", { path: file }, message);
}

/** Compares in a time that tells nothing about where two tokens differ. */
export function isSameToken(expected: string, given: string): boolean {
  return timingSafeEqual(digest(expected), digest(given));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
