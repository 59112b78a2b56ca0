import { createHash, timingSafeEqual } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../../core/port/platform.ts";

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits in 43 characters that an address takes as they are. */
export function newToken(random: Random): string {
  return Buffer.from(random.bytes(32)).toString("base64url");
}

/**
 * The token of a data directory, made at the first start and kept in the file `token`, which only its owner may read. It
 * stays the same, so that an open page comes back after a restart.
 */
export async function tokenOf(dataDirectory: string, random: Random): Promise<string> {
  const file = join(dataDirectory, "token");
  const known = await readToken(file);
  if (known !== undefined) return known;
  const token = newToken(random);
  // A name that no other start has: one that was killed leaves its draft, and in a container all have one process id.
  const draft = `${file}.${Buffer.from(random.bytes(8)).toString("hex")}`;
  await writeFile(draft, `${token}\n`, { mode: 0o600, flag: "wx" });
  try {
    // Linking makes the file whole or not at all, and never over one that another process has just made.
    await link(draft, file);
    return token;
  } catch (problem) {
    const theirs = await readToken(file);
    if (theirs !== undefined) return theirs;
    throw problem;
  } finally {
    await rm(draft, { force: true });
  }
}

async function readToken(file: string): Promise<string | undefined> {
  try {
    const token = (await readFile(file, "utf8")).trim();
    if (!tokenPattern.test(token)) throw new Error(`${file} holds no token; remove it to get a new one`);
    return token;
  } catch (problem) {
    if (problem instanceof Error && "code" in problem && problem.code === "ENOENT") return undefined;
    throw problem;
  }
}

/** Compares in a time that tells nothing about where two tokens differ. */
export function isSameToken(expected: string, given: string): boolean {
  return timingSafeEqual(digest(expected), digest(given));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
