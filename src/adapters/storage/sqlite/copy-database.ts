import { closeSync, openSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";

/** More than a database has; in 32 bits. */
const pagesMax = 0x7fff_ffff;

/** What a copied database holds, as far as it can be counted. */
export interface CopiedDatabase {
  readonly pages: number;
}

/**
 * Copies a database as it is at one instant, while others go on writing to it: SQLite's own backup, over a connection that
 * only reads. Nothing of a half-made copy counts: whoever wants it writes to a place of its own and renames.
 */
export async function copyDatabase(from: string, to: string): Promise<CopiedDatabase> {
  // SQLite would let others read a file that it makes itself.
  closeSync(openSync(to, "wx", 0o600));
  const source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    // All in one step: a writer between two would make it begin again.
    return { pages: await backup(source, to, { rate: pagesMax }) };
  } finally {
    source.close();
  }
}

/** What speaks against a database file, in SQLite's words; null where it is whole. */
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
