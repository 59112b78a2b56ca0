import { DatabaseSync } from "node:sqlite";

/** One table of a database with its indexes; of a full-text index, all its tables. */
export interface TableSize {
  readonly rows: number;
  readonly bytes: number;
}

/** Reads how large each table of an SQLite file is, also while a server uses it. */
export function tableSizes(file: string): ReadonlyMap<string, TableSize> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const sizes = new Map<string, TableSize>();
    const listed = database
      .prepare(
        `SELECT s.tbl_name AS name, sum(d.pgsize) AS bytes FROM dbstat AS d JOIN sqlite_schema AS s ON s.name = d.name
         GROUP BY s.tbl_name`,
      )
      .all();
    for (const { name: table, bytes } of listed) {
      const name = String(table);
      const index = fullTextIndexes.find((each) => name.startsWith(`${each}_`));
      const rows = index === undefined || name.endsWith("_docsize") ? rowsOf(database, name) : 0;
      const before = sizes.get(index ?? name) ?? { rows: 0, bytes: 0 };
      sizes.set(index ?? name, { rows: before.rows + rows, bytes: before.bytes + Number(bytes) });
    }
    return sizes;
  } finally {
    database.close();
  }
}

const fullTextIndexes = ["message_index", "block_index"] as const;

function rowsOf(database: DatabaseSync, table: string): number {
  return Number(database.prepare(`SELECT count(*) AS rows FROM "${table}"`).get()?.["rows"]);
}
