import { readFile } from "node:fs/promises";
import { dataDirectoryAt } from "../../data/data-directory.ts";
import { acquireProcessLock } from "../../data/process-lock.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import { readListening } from "../../server/http/listening-note.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { errorCodeOf } from "../../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { CommandLine } from "../base/command-line.ts";
import { userOf, type Terminal } from "../base/terminal.ts";

/** The address of a server, and the token that gives access. */
export interface ServerAddress {
  /** `http://127.0.0.1:7420`. */
  readonly url: string;
  readonly token: string;
}

/** Returns where the server that uses the data folder listens, as it recorded there. */
export async function runningServer(
  { values }: CommandLine,
  terminal: Terminal,
): Promise<Result<ServerAddress, Refusal>> {
  const { data: folder } = values;
  const configuration = loadConfiguration(folder === undefined ? {} : { data: folder }, userOf(terminal));
  if (!configuration.ok) return configuration;
  const data = dataDirectoryAt(configuration.value.data);
  const note = await readListening(data);
  const token = configuration.value.token ?? (await readFile(data.token, "utf8").catch(() => "")).trim();
  if (note === null || token === "") {
    const message = `Another Heddle process uses ${data.root} and is not a server. Wait until it is done, or name another folder with --data.`;
    return err(refusal("DATA_IN_USE", { path: data.root }, message));
  }
  return ok({ url: note.url, token });
}

/** Whether a server that recorded its address uses the data folder; a killed one leaves its record, but not its lock. */
export async function isServed({ values }: CommandLine, terminal: Terminal): Promise<boolean> {
  const { data: folder } = values;
  const configuration = loadConfiguration(folder === undefined ? {} : { data: folder }, userOf(terminal));
  if (!configuration.ok) return false;
  const data = dataDirectoryAt(configuration.value.data);
  const note = await readListening(data);
  // The lock is not tried where nobody can hold it: a server that starts in that moment would be refused.
  if (note === null || !isAlive(note.pid)) return false;
  const lock = acquireProcessLock(data);
  if (!lock.ok) return lock.error.code === "DATA_IN_USE";
  lock.value.release();
  return false;
}

/** Returns the address that a person opens; it gives access to anyone who has it. */
export function addressToOpen({ url, token }: ServerAddress): string {
  return `${url}/#token=${encodeURIComponent(token)}`;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (problem) {
    return errorCodeOf(problem) === "EPERM";
  }
}
