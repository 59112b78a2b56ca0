import { DatabaseSync } from "node:sqlite";

export const busyTimeoutMs = 5_000;
/**
 * Of each connection. What is read again is in the system's own cache too; larger ones fill for half an hour, which looks like a leak.
 */
export const cacheKibibytes = 4 * 1024;

/** Opens a read-only connection to a database that is open and migrated; it sees every committed write. */
export function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs, defensive: true });
  database.exec(`PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${cacheKibibytes}`);
  return database;
}
