import type { DatabaseSync } from "node:sqlite";
import type { SqlValue } from "../row/sql.ts";

/** How often a damaged table is read again: as often as a table of two billion rows with a hundred lost pages needs. */
const attemptsMax = 8_192;

/** One row, first its rowid where the table has one. */
type SavedRow = readonly (SqlValue | bigint)[];

/** A table's name and columns, in the database's own order. */
export interface SavedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly primaryKey: readonly string[];
  readonly hasRowid: boolean;
}

/**
 * Hands every readable row of a table to `keep`, its columns in order. Returns whether a part of it could not be read.
 *
 * A damaged page ends the reading of a table. So the table is read from both ends, and what lies between is split, the largest
 * stretch first, until only rows of damaged pages are left. A table without rowids is read from both ends alone.
 */
export function readAround(database: DatabaseSync, table: SavedTable, keep: (row: SavedRow) => void): boolean {
  const columns = table.columns.map(quoted).join(", ");
  if (!table.hasRowid) {
    const keys = table.primaryKey.map(quoted);
    const seen = new Set<string>();
    const once = (row: SavedRow): void => {
      const key = JSON.stringify(row, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value));
      if (!seen.has(key)) keep(row);
      seen.add(key);
    };
    const select = `SELECT ${columns} FROM ${quoted(table.name)} ORDER BY ${keys.join(", ")}`;
    if (readUntil(database, select, [], once)) return false;
    readUntil(
      database,
      `SELECT ${columns} FROM ${quoted(table.name)} ORDER BY ${keys.map((key) => `${key} DESC`).join(", ")}`,
      [],
      once,
    );
    return true;
  }
  const select = `SELECT rowid, ${columns} FROM ${quoted(table.name)} NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid`;
  // Breadth first: a stretch is never split before all larger ones were.
  const stretches: (readonly [bigint, bigint])[] = [[rowidMin, rowidMax]];
  let isDamaged = false;
  for (let at = 0; at < stretches.length && at < attemptsMax; at += 1) {
    let [from, to] = stretches[at] ?? [0n, -1n];
    const isWhole = readUntil(database, select, [from, to], (row) => {
      from = (row[0] as bigint) + 1n;
      keep(row.slice(1));
    });
    if (isWhole) continue;
    isDamaged = true;
    const fromEnd = readUntil(database, `${select} DESC`, [from, to], (row) => {
      to = (row[0] as bigint) - 1n;
      keep(row.slice(1));
    });
    if (fromEnd || from >= to) continue;
    const middle = (from + to) / 2n;
    stretches.push([from, middle], [middle + 1n, to]);
  }
  return isDamaged;
}

const rowidMin = -(2n ** 63n) + 1n;
const rowidMax = 2n ** 63n - 2n;

/** Returns false when the reading ended at a damaged page; the rows before it were kept. */
function readUntil(
  database: DatabaseSync,
  sql: string,
  values: readonly bigint[],
  keep: (row: SavedRow) => void,
): boolean {
  let row: SavedRow;
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const rows = (statement.iterate(...values) as Iterable<unknown> as Iterable<SavedRow>)[Symbol.iterator]();
  for (;;) {
    try {
      const next = rows.next();
      if (next.done === true) return true;
      row = next.value;
    } catch {
      return false;
    }
    keep(row);
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
