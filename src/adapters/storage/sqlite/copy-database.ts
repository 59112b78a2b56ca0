import { closeSync, openSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";

/** More pages than any database has; fits 32 bits. */
const pagesMax = 0x7fff_ffff;

/** The content of a copied database, as far as it can be counted. */
export interface CopiedDatabase {
  readonly pages: number;
}

/**
 * Copies a database as of one instant while others keep writing to it, by SQLite's own backup over a read-only connection.
 * A failed copy is invalid: callers copy to a temporary place and rename.
 */
export async function copyDatabase(from: string, to: string): Promise<CopiedDatabase> {
  // A file that SQLite creates itself would be readable by other users.
  closeSync(openSync(to, "wx", 0o600));
  const source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    // Copies in one step: a writer in between would restart the copy.
    return { pages: await backup(source, to, { rate: pagesMax }) };
  } finally {
    source.close();
  }
}

/** Returns SQLite's complaint about a database file; null when the file is intact. */
export function databaseDamage(file: string): string | null {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const row = database.prepare("PRAGMA integrity_check(1)").get();
    const said = String(Object.values(row ?? {})[0] ?? "no answer");
    return said === "ok" ? null : said;
  } finally {
    database.close();
  }
}
