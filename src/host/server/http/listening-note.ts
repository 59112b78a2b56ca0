import { readFile, rename, rm, writeFile } from "node:fs/promises";
import * as v from "valibot";
import type { DataDirectory } from "../../data/data-directory.ts";

/** Where the server of a data folder listens. */
export interface Listening {
  /** `http://127.0.0.1:7420`: without the token. */
  readonly url: string;
  readonly pid: number;
}

const form = v.object({ url: v.pipe(v.string(), v.url()), pid: v.number() });

/**
 * Says in the data folder where its server listens, for other commands of the same user; the returned function takes that
 * back. The process lock says whether it still holds: a server that was killed leaves its note behind.
 */
export async function noteListening({ listening: file }: DataDirectory, url: string): Promise<() => Promise<void>> {
  const draft = `${file}.draft`;
  try {
    await writeFile(draft, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 });
    await rename(draft, file);
  } catch {
    // Without the note others have to be told the address; that is no reason not to serve.
  }
  return () => forgetListening({ listening: file });
}

/** Takes the note of a server away that was killed, for whoever holds the lock now. */
export async function forgetListening({ listening: file }: Pick<DataDirectory, "listening">): Promise<void> {
  await rm(file, { force: true }).catch(() => {});
}

/** What the note of a data folder says; null where there is none that can be read. */
export async function readListening({ listening: file }: DataDirectory): Promise<Listening | null> {
  try {
    const note: unknown = JSON.parse(await readFile(file, "utf8"));
    return v.is(form, note) ? note : null;
  } catch {
    return null;
  }
}
