import { createHash } from "node:crypto";
import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { Row, SqlValue } from "../row/sql.ts";

/** A table that every database has, column for column. */
export interface CopiedTable {
  readonly name: string;
  /** The columns that order its rows, in every database alike. */
  readonly key: NonEmptyArray<string>;
  /** Which rows are copied; absent: all. */
  readonly where?: string;
}

/** Everything durable: what belongs to something comes after it. Word indexes are made anew, and nodes join anew. */
export const copiedTables: readonly CopiedTable[] = [
  { name: "meta", key: ["key"], where: "substr(key, 1, 6) <> 'store.'" },
  { name: "conversations", key: ["place"] },
  { name: "deleted_conversations", key: ["id"] },
  { name: "folders", key: ["place"] },
  { name: "messages", key: ["place"] },
  { name: "deleted_messages", key: ["id"] },
  { name: "bookmarks", key: ["title"] },
  { name: "runs", key: ["place"] },
  { name: "effects", key: ["place"] },
  { name: "run_events", key: ["run_id", "seq"] },
  { name: "feed", key: ["conversation_id", "seq"] },
  { name: "blocks", key: ["place"] },
  { name: "changes", key: ["place"] },
  { name: "snapshots", key: ["block_id"] },
  { name: "snapshot_pieces", key: ["block_id", "snapshot_id", "n"] },
  { name: "revisions", key: ["canvas_id", "version"] },
  { name: "draft_revisions", key: ["canvas_id", "draft_id", "draft_version"] },
  { name: "suggestions", key: ["id"] },
  { name: "log_starts", key: ["block_place"] },
  { name: "trimmed_turns", key: ["turn_id", "block_place"] },
  { name: "block_words", key: ["block_id"] },
  { name: "replicas", key: ["replica"] },
  { name: "leases", key: ["canvas_id"] },
  { name: "requests", key: ["client_id", "request_id"] },
  { name: "approval_rules", key: ["id"] },
  { name: "trash", key: ["id"] },
  { name: "trashed_messages", key: ["place"] },
  { name: "waiting_messages", key: ["id"] },
  { name: "threads", key: ["id"] },
  { name: "thread_turns", key: ["turn_id", "thread_id"] },
  { name: "rights", key: ["key"] },
  { name: "audit", key: ["seq"] },
  { name: "sign_in", key: ["key"] },
];

/** How far a copy has come: the last row that is there, of the table under way. */
export interface CopyProgress {
  readonly table: string;
  readonly after: Row | null;
}

/** Some rows of a table. */
export interface TablePage {
  readonly table: CopiedTable;
  readonly columns: readonly string[];
  readonly after: Row | null;
  readonly limit: number;
}

/** The tables of a database at one instant, or of one that nobody else uses. */
export interface TablesReader {
  /** The columns of a table, by name. */
  columnsOf(table: CopiedTable): Promise<readonly string[]>;
  /** The rows that follow, in the order of the key. */
  page(page: TablePage): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Rows of a table that are written, and how far the copy is then. */
export interface WrittenPage {
  readonly table: CopiedTable;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** A database that is being filled. No server opens it before it is finished. */
export interface TablesWriter extends TablesReader {
  /** Where an earlier copy was broken off; null: nothing is there yet. */
  readonly progress: CopyProgress | null;
  /** Writes rows and the progress in one transaction. */
  write(page: WrittenPage): Promise<void>;
  /** Makes what is not copied, and lets servers open it. */
  finish(): Promise<void>;
}

/** What was copied and compared. */
export interface CopiedRows {
  /** Rows by table, without empty tables. */
  readonly rows: Readonly<Record<string, number>>;
  /** SHA-256 over all rows of all tables, the same in both databases. */
  readonly hash: string;
  /** Where an earlier copy was continued; null: from the start. */
  readonly continuedAt: string | null;
}

/** The copy is not equal to what was copied. */
export class CopyDiffersError extends Error {
  override readonly name = "CopyDiffersError";
}

const pageRowsMax = 1_000;
const pageBytesMax = 8 * 1024 * 1024;

/**
 * Copies all tables of one database into another, continues a copy that was broken off, then reads both and compares count
 * and hash of each table. Servers can open the target only after that.
 */
export async function copyTables(
  source: TablesReader,
  target: TablesWriter,
  onTable: (table: string) => void = () => {},
): Promise<CopiedRows> {
  const { progress } = target;
  const from = copiedTables.findIndex(({ name }) => name === progress?.table);
  for (const [index, table] of copiedTables.entries()) {
    if (index < from) continue;
    onTable(table.name);
    const columns = await commonColumns(source, target, table);
    const after = index === from ? (progress?.after ?? null) : null;
    for await (const rows of pagesOf(source, { table, columns, after })) await target.write({ table, columns, rows });
  }
  const whole = createHash("sha256");
  const counts: [string, number][] = [];
  for (const table of copiedTables) {
    const columns = await commonColumns(source, target, table);
    const [read, written] = [await summary(source, table, columns), await summary(target, table, columns)];
    if (read.rows !== written.rows || read.hash !== written.hash) {
      throw new CopyDiffersError(
        `The table ${table.name} differs from its copy (${read.rows} rows, ${written.rows} copied). Empty the target and begin again.`,
      );
    }
    whole.update(read.hash);
    if (read.rows > 0) counts.push([table.name, read.rows]);
  }
  await target.finish();
  return { rows: Object.fromEntries(counts), hash: whole.digest("hex"), continuedAt: progress?.table ?? null };
}

async function commonColumns(
  source: TablesReader,
  target: TablesReader,
  table: CopiedTable,
): Promise<readonly string[]> {
  const [there, here] = [await source.columnsOf(table), await target.columnsOf(table)];
  if (there.join() === here.join()) return there;
  throw new CopyDiffersError(
    `The table ${table.name} has other columns in the source. Start this release's server on it once, which upgrades it.`,
  );
}

async function* pagesOf(
  reader: TablesReader,
  { table, columns, after: first }: Omit<TablePage, "limit">,
): AsyncGenerator<readonly Row[], void, undefined> {
  let [after, limit] = [first, 50];
  for (;;) {
    const rows = await reader.page({ table, columns, after, limit });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < limit) return;
    after = keyOf(last, table, columns);
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0);
    limit = Math.max(1, Math.min(pageRowsMax, Math.floor((rows.length * pageBytesMax) / Math.max(bytes, 1))));
  }
}

/** Returns the values of a row's key. */
export function keyOf(row: Row, { key }: CopiedTable, columns: readonly string[]): Row {
  return key.map((column) => row[columns.indexOf(column)] ?? null);
}

function bytesOf(row: Row): number {
  return row.reduce<number>(
    (sum, value) => sum + (typeof value === "string" || value instanceof Uint8Array ? value.length : 8),
    0,
  );
}

async function summary(
  reader: TablesReader,
  table: CopiedTable,
  columns: readonly string[],
): Promise<{ readonly rows: number; readonly hash: string }> {
  const hash = createHash("sha256").update(`${table.name}\n${columns.join()}\n`);
  let rows = 0;
  for await (const page of pagesOf(reader, { table, columns, after: null })) {
    for (const row of page) hash.update(`${JSON.stringify(row.map(comparable))}\n`);
    rows += page.length;
  }
  return { rows, hash: hash.digest("hex") };
}

function comparable(value: SqlValue): unknown {
  return value instanceof Uint8Array ? { sha256: createHash("sha256").update(value).digest("hex") } : value;
}

/** The parts of the statement that reads a page; `mark` gives the place of the value with that number, from 1. */
export function pageStatement(
  { table: { name, key, where }, columns, after }: TablePage,
  mark: (number: number) => string,
  from: string = name,
): string {
  const behind = `(${key.join(", ")}) > (${key.map((_column, index) => mark(index + 1)).join(", ")})`;
  const conditions = [...(where === undefined ? [] : [where]), ...(after === null ? [] : [behind])];
  const limit = mark((after?.length ?? 0) + 1);
  return `SELECT ${columns.join(", ")} FROM ${from}${conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`}
    ORDER BY ${key.join(", ")} LIMIT ${limit}`;
}
