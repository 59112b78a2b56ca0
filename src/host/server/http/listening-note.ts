import { readFile, rename, rm, writeFile } from "node:fs/promises";
import * as v from "valibot";
import type { DataDirectory } from "../../data/data-directory.ts";

/** The address of a data folder's server. */
export interface Listening {
  /** `http://127.0.0.1:7420`: without the token. */
  readonly url: string;
  readonly pid: number;
}

const form = v.object({ url: v.pipe(v.string(), v.url()), pid: v.number() });

/**
 * Writes into the data folder where its server listens, for other commands of the same user; returns a function that
 * removes the note. The process lock tells whether a note is current: a killed server leaves its note behind.
 */
export async function noteListening({ listening: file }: DataDirectory, url: string): Promise<() => Promise<void>> {
  const draft = `${file}.draft`;
  try {
    await writeFile(draft, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 });
    await rename(draft, file);
  } catch {
    // Without the note, other commands must be given the address; that is no reason not to serve.
  }
  return () => forgetListening({ listening: file });
}

/** Removes the note of a killed server, called by the new holder of the lock. */
export async function forgetListening({ listening: file }: Pick<DataDirectory, "listening">): Promise<void> {
  await rm(file, { force: true }).catch(() => {});
}

/** Reads the note of a data folder; null if there is no readable note. */
export async function readListening({ listening: file }: DataDirectory): Promise<Listening | null> {
  try {
    const note: unknown = JSON.parse(await readFile(file, "utf8"));
    return v.is(form, note) ? note : null;
  } catch {
    return null;
  }
}
