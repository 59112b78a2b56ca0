import { existsSync, renameSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { Statements } from "../row/sql.ts";
import { StoreOpenError } from "../shared/store-error.ts";
import { CopyDiffersError, keyOf, pageStatement, type TablesReader, type TablesWriter } from "../shared/table-copy.ts";
import { progressOf } from "../shared/copy-progress.ts";
import { openDatabase } from "./open-database.ts";
import { indexWords } from "./recover-database.ts";

const putProgress = `INSERT INTO meta (key, value) VALUES ('store.moving', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1`;
/** The newest changes wait in a table of their own. */
const allChanges = "(SELECT * FROM changes UNION ALL SELECT * FROM new_changes)";

/** Opens the tables of a database file that nobody writes to, such as a copy. It is upgraded to this release's tables. */
export function readSqliteTables(file: string): TablesReader {
  if (!existsSync(file)) throw new StoreOpenError("NOT_HEDDLE", `There is no database ${file}.`);
  const database = openDatabase(file, (problem) => {
    throw new StoreOpenError("STORE_FAILED", problem);
  });
  return readerOf(database);
}

/** Fills a database file that does not exist yet; until it is finished, it has another name. */
export function fillSqliteTables(file: string): TablesWriter {
  if (existsSync(file)) {
    throw new StoreOpenError("STORE_IN_USE", `${file} exists already. Name a data folder without a database.`);
  }
  const draft = `${file}.moving`;
  const made = openDatabase(draft);
  made.exec("PRAGMA foreign_keys = OFF; PRAGMA synchronous = FULL");
  const sql = new Statements(made);
  const stored = sql.all(`SELECT value FROM meta WHERE key = 'store.moving'`, [])[0]?.[0];
  return {
    ...readerOf(made),
    progress: progressOf(stored === undefined ? null : JSON.parse(String(stored))),
    async write({ table, columns, rows }) {
      const marks = columns.map((_column, index) => `?${index + 1}`).join(", ");
      const insert = `INSERT INTO ${table.name} (${columns.join(", ")}) VALUES (${marks})`;
      const last = rows.at(-1);
      made.exec("BEGIN IMMEDIATE");
      try {
        for (const row of rows) sql.run(insert, row);
        const after = last === undefined ? null : keyOf(last, table, columns);
        sql.run(putProgress, [JSON.stringify({ table: table.name, after })]);
        made.exec("COMMIT");
      } catch (problem) {
        made.exec("ROLLBACK");
        throw problem;
      }
    },
    async finish() {
      const loose = sql.all("PRAGMA foreign_key_check", [])[0]?.[0];
      if (loose !== undefined) throw new CopyDiffersError(`Rows of ${String(loose)} belong to nothing.`);
      made.exec("BEGIN IMMEDIATE");
      indexWords(made);
      made.exec(`DELETE FROM meta WHERE key = 'store.moving'; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`);
      made.close();
      renameSync(draft, file);
    },
    async close() {
      if (made.isOpen) made.close();
    },
  };
}

function readerOf(database: DatabaseSync): TablesReader {
  const sql = new Statements(database);
  return {
    async columnsOf({ name }) {
      return sql.all("SELECT name FROM pragma_table_info(?1) ORDER BY name", [name]).map(([column]) => String(column));
    },
    async page(page) {
      const from = page.table.name === "changes" ? allChanges : page.table.name;
      return sql.all(
        pageStatement(page, (number) => `?${number}`, from),
        [...(page.after ?? []), page.limit],
      );
    },
    async close() {
      database.close();
    },
  };
}
