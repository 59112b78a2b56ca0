import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** What a database took on the disk, with its log, before and after. Bytes. */
export interface CompactedDatabase {
  readonly before: number;
  readonly after: number;
}

/**
 * Writes a database anew without the pages that nothing uses, and empties its log. One transaction: after a crash or a
 * full disk the database is as it was. Throws SQLite's error.
 */
export function compactDatabase(file: string): CompactedDatabase {
  const before = bytesOf(file);
  const database = new DatabaseSync(file, { timeout: 10_000 });
  try {
    database.exec("PRAGMA synchronous = FULL; VACUUM");
    const [kept] = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
    if (kept?.["busy"] !== 0) throw new Error("another program reads the database");
  } finally {
    database.close();
  }
  return { before, after: bytesOf(file) };
}

function bytesOf(file: string): number {
  return [file, `${file}-wal`].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0);
}
