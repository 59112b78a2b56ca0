import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { DataDirectory } from "./data-directory.ts";

/** The right to use a data folder. The operating system takes it back when the process ends, however it ends. */
export interface ProcessLock {
  release(): void;
}

const sqliteBusy = 5;
const sqliteCorrupt = 11;
const sqliteNotADatabase = 26;

/** The locks that are held: an unreferenced connection would be collected, and its lock with it. */
const held = new Set<DatabaseSync>();

/**
 * Locks the folder for this process: an exclusive transaction on a database of its own, open while the process lives.
 * Refused with DATA_IN_USE while another process holds it. Nothing else may open the file: on POSIX, closing any handle to
 * it in this process would drop the lock.
 */
export function acquireProcessLock(directory: Pick<DataDirectory, "root" | "lock">): Result<ProcessLock, Refusal> {
  let database: DatabaseSync | null = null;
  try {
    if (!existsSync(directory.lock)) closeSync(openSync(directory.lock, "wx", 0o600));
    database = new DatabaseSync(directory.lock, { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    return err(refusedLock(directory, error));
  }
  const lock = database;
  held.add(lock);
  return ok({
    release() {
      if (held.delete(lock)) lock.close();
    },
  });
}

function refusedLock({ root, lock }: Pick<DataDirectory, "root" | "lock">, error: unknown): Refusal {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  if (code === sqliteBusy) return refusal("DATA_IN_USE", { path: root });
  if (code === sqliteCorrupt || code === sqliteNotADatabase) {
    const message = `The lock file ${lock} is damaged. It holds no data: stop every Heddle that uses ${root}, remove the file and start again.`;
    return refusal("STORE_FAILED", { path: lock, reason: reasonOf(error) }, message);
  }
  const reason = reasonOf(error);
  return refusal("STORE_FAILED", { path: root, reason }, `The data folder ${root} cannot be locked: ${reason}.`);
}
