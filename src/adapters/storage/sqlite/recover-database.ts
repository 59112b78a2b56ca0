import { closeSync, existsSync, ftruncateSync, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { framesOf } from "./log-frames.ts";
import { migrations } from "./migrations.ts";
import { quoted, readAround, type SavedTable } from "./read-around.ts";
import { searchableText } from "../row/readable-text.ts";
import { deleteTornSnapshots } from "./tables/snapshots.ts";

/** What was saved of a damaged database, and what was not. */
export interface RecoveredDatabase {
  readonly rows: number;
  /** Pages of the write-ahead log that were damaged: what they changed is missing. */
  readonly damagedLogPages: number;
  /** Tables with pages that cannot be read, by name. */
  readonly damagedTables: readonly string[];
  /** Rows that belonged to something that is lost, by table; they are left out. */
  readonly orphans: Readonly<Record<string, number>>;
  /** Conversations whose own row is lost; they are there under a substitute's title. */
  readonly substitutes: number;
  /** Messages whose parent is lost; they begin a branch of their conversation. */
  readonly cutBranches: number;
}

/** Thrown where nothing at all can be read. */
export class NothingReadableError extends Error {
  override readonly name = "NothingReadableError";
}

/**
 * Applies the write-ahead log to a database file: every whole page of the log, also behind a damaged one, which SQLite would
 * leave out. Creates the file if it is missing. Only for a copy, which no other process uses. Returns how many pages of the
 * log are damaged.
 */
export function applyLog(file: string, log: string): number {
  const handle = openSync(file, existsSync(file) ? "r+" : "w+", 0o600);
  let damaged = 0;
  try {
    const unended = new Map<number, Buffer>();
    let missed = 0;
    for (const { pageNumber, databasePages, isWhole, isOfThisRound, page } of framesOf(log)) {
      // A torn transaction at the end was never acknowledged: only what a further commit follows is damage.
      if (!isWhole || !isOfThisRound) {
        missed += 1;
        continue;
      }
      unended.set(pageNumber, Buffer.from(page));
      if (databasePages === 0) continue;
      for (const [number, bytes] of unended) writeSync(handle, bytes, 0, bytes.length, (number - 1) * bytes.length);
      ftruncateSync(handle, databasePages * page.length);
      unended.clear();
      damaged += missed;
      missed = 0;
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return damaged;
}

/**
 * Saves every readable row of a damaged database (a copy, without a log) in a new file of the same schema. What belongs to
 * nothing any more is left out; a conversation whose own row is lost gets a substitute, so that its messages stay.
 */
export function recoverDatabase(from: string, to: string): Omit<RecoveredDatabase, "damagedLogPages"> {
  if ((statSync(from, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw new NothingReadableError("The file is empty.");
  closeSync(openSync(to, "wx", 0o600));
  const source = new DatabaseSync(from, { readOnly: true, enableDoubleQuotedStringLiterals: false });
  const target = new DatabaseSync(to, { enableForeignKeyConstraints: false, enableDoubleQuotedStringLiterals: false });
  try {
    const schema = readSchema(source);
    target.exec("PRAGMA journal_mode = WAL; BEGIN");
    const made = (...types: readonly string[]): void => {
      for (const { sql, type } of schema.made) if (types.includes(type)) target.exec(sql);
    };
    made("table", "index");
    let rows = 0;
    const damagedTables: string[] = [];
    for (const table of schema.tables) {
      const saved = copyTable(source, target, table);
      rows += saved.rows;
      if (saved.isDamaged) damagedTables.push(table.name);
    }
    const substitutes = damagedTables.includes("conversations") ? substitute(target) : 0;
    const cutBranches = damagedTables.includes("messages") ? cutBranchesOf(target) : 0;
    if (damagedTables.includes("snapshot_pieces")) target.exec(deleteTornSnapshots);
    const orphans = dropOrphans(target, schema.tables);
    indexWords(target);
    // Afterwards, since one of them refuses deletions.
    made("trigger", "view");
    target
      .prepare("INSERT OR IGNORE INTO meta (key, value) VALUES ('store.schema', ?)")
      .run(JSON.stringify({ version: migrations.at(-1)?.version }));
    target.exec(`PRAGMA application_id = ${schema.applicationId}; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`);
    return { rows, damagedTables, orphans, substitutes, cutBranches };
  } finally {
    source.close();
    target.close();
  }
}

interface Made {
  readonly type: string;
  readonly sql: string;
}

/** Reads which tables there are, without those that a word index keeps for itself. */
function readSchema(source: DatabaseSync): {
  readonly made: readonly Made[];
  readonly tables: readonly SavedTable[];
  readonly applicationId: number;
} {
  try {
    const found = source
      .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
      .all();
    const entries = found.map((row) => ({
      type: String(row["type"]),
      name: String(row["name"]),
      sql: String(row["sql"]),
    }));
    const indexes = entries.filter(({ sql }) => sql.startsWith("CREATE VIRTUAL TABLE"));
    const made = entries.filter(({ name }) => !indexes.some((index) => name.startsWith(`${index.name}_`)));
    const tables = made.filter((entry) => entry.type === "table" && !indexes.includes(entry));
    const id = Object.values(source.prepare("PRAGMA application_id").get() ?? {})[0];
    return { made, tables: tables.map(({ name, sql }) => tableOf(source, name, sql)), applicationId: Number(id) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new NothingReadableError(`The list of its tables cannot be read (${reason}).`, { cause: error });
  }
}

function tableOf(source: DatabaseSync, name: string, sql: string): SavedTable {
  const columns = source.prepare("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid").all(name);
  const keyed = columns.filter((column) => Number(column["pk"]) > 0);
  return {
    name,
    columns: columns.map((column) => String(column["name"])),
    primaryKey: keyed.toSorted((a, b) => Number(a["pk"]) - Number(b["pk"])).map((column) => String(column["name"])),
    hasRowid: !/\bWITHOUT ROWID\s*$/i.test(sql),
  };
}

function copyTable(source: DatabaseSync, target: DatabaseSync, table: SavedTable) {
  const places = table.columns.map(() => "?").join(", ");
  const insert = target.prepare(
    `INSERT OR IGNORE INTO ${quoted(table.name)} (${table.columns.map(quoted).join(", ")}) VALUES (${places})`,
  );
  let rows = 0;
  let spoiled = 0;
  const isDamaged = readAround(source, table, (row) => {
    try {
      rows += Number(insert.run(...row).changes);
    } catch {
      // A value that is none of its column's type.
      spoiled += 1;
    }
  });
  return { rows, isDamaged: isDamaged || spoiled > 0 };
}

function substitute(target: DatabaseSync): number {
  return Number(
    target
      .prepare(
        `INSERT INTO conversations (id, slug, title, system_prompt, model, cwd, created_at, updated_at)
         SELECT conversation_id, 'recovered-' || lower(hex(randomblob(6))), 'Recovered conversation', '',
           coalesce((SELECT model FROM conversations ORDER BY place DESC LIMIT 1), 'scribe'),
           coalesce((SELECT cwd FROM conversations ORDER BY place DESC LIMIT 1), ''), min(created_at), max(created_at)
         FROM messages WHERE conversation_id NOT IN (SELECT id FROM conversations) GROUP BY conversation_id`,
      )
      .run().changes,
  );
}

function cutBranchesOf(target: DatabaseSync): number {
  const cut = "UPDATE messages SET parent_id = NULL WHERE parent_id NOT IN (SELECT id FROM messages)";
  return Number(target.prepare(cut).run().changes);
}

/** Deletes rows whose parent is lost, and then those that hung on them. */
function dropOrphans(target: DatabaseSync, tables: readonly SavedTable[]): Record<string, number> {
  const links = target.prepare('SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)');
  const drops = tables.flatMap(({ name }) =>
    links.all(name).map((link) => {
      const [column, parent, key] = [String(link["from"]), String(link["table"]), String(link["to"])].map(quoted);
      return { name, sql: `DELETE FROM ${quoted(name)} WHERE ${column} NOT IN (SELECT ${key} FROM ${parent})` };
    }),
  );
  drops.push({
    name: "new_changes",
    sql: "DELETE FROM new_changes WHERE block_place NOT IN (SELECT place FROM blocks)",
  });
  const orphans: Record<string, number> = {};
  for (let dropped = 1; dropped > 0;) {
    dropped = 0;
    for (const { name, sql } of drops) {
      const rows = Number(target.prepare(sql).run().changes);
      if (rows > 0) orphans[name] = (orphans[name] ?? 0) + rows;
      dropped += rows;
    }
  }
  return orphans;
}

/** Fills the word indexes from the texts: they are never copied. */
export function indexWords(target: DatabaseSync): void {
  target.function("searchable_text", { deterministic: true }, (content) => searchableText(String(content)));
  target.exec(`
    INSERT INTO message_index (rowid, words)
      SELECT place, words FROM (SELECT place, searchable_text(content) AS words FROM messages) WHERE words <> '';
    INSERT INTO block_index (rowid, words)
      SELECT b.place, w.words FROM block_words AS w JOIN blocks AS b ON b.id = w.block_id WHERE w.words <> '';
  `);
}
