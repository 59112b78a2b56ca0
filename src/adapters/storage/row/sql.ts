import type { DatabaseSync, StatementSync } from "node:sqlite";

/** What a column can hold. */
export type SqlValue = null | number | string | Uint8Array;

/** One row of an answer, in the order of the query's columns. */
export type Row = readonly SqlValue[];

/** Why one write of a commit was not made; the store adds its index, and decodes the lease. */
export type RowRefusal =
  | { readonly code: "CONFLICT"; readonly stored: number | null }
  | {
      readonly code: "LOCK_NOT_AVAILABLE" | "LOCK_NOT_OWNED" | "LEASE_EXPIRED" | "STALE_EPOCH";
      readonly lease: Row | null;
    }
  | { readonly code: "DUPLICATE_REQUEST"; readonly version: number };

type Preparing = Pick<DatabaseSync, "prepare">;

/** What is known of the table `new_changes` without asking it. */
export interface NewChangesKnown {
  /** The version that each request made, by its block's place and its id. */
  readonly versionsByRequest: Map<string, number>;
  count: number;
  /** How often any of this was changed. */
  edits: number;
  /** The next one's number, after all that `changes` has. */
  nextPlace: number;
}

/** Prepared statements of one connection, each compiled once. */
export class Statements {
  readonly #database: Preparing;
  readonly #changesBySql = new Map<string, StatementSync>();
  readonly #questionsBySql = new Map<string, StatementSync>();
  /** Where blocks have been found. What stands here is checked when it is used. */
  readonly placesById = new Map<string, number>();
  /** null: it has to be read first. */
  newChanges: NewChangesKnown | null = null;
  #editsAtBegin = 0;

  constructor(database: Preparing) {
    this.#database = database;
  }

  /** Begins what can be taken back. */
  begin(what: "BEGIN IMMEDIATE" | "SAVEPOINT one"): void {
    this.run(what, []);
    this.#editsAtBegin = this.newChanges?.edits ?? 0;
  }

  /** Takes back what was done since the last `begin`, which was that of the savepoint if one is named. */
  rollBack(to: "" | "TO one" = ""): void {
    // Most that is refused was so before it touched the log: to read what is new again would cost a hundred times as much.
    if (this.newChanges?.edits !== this.#editsAtBegin) this.newChanges = null;
    this.run(`ROLLBACK ${to}`, []);
  }

  /** Runs a change and tells how many rows it touched. */
  run(sql: string, values: Row): number {
    return Number(this.#change(sql).run(...values).changes);
  }

  all(sql: string, values: Row): readonly Row[] {
    const rows: readonly unknown[] = this.#question(sql).all(...values);
    return rows.filter((row) => Array.isArray(row));
  }

  /** The first column of the first row, where it is a number. */
  number(sql: string, values: Row): number | null {
    const found = this.all(sql, values)[0]?.[0];
    return typeof found === "number" ? found : null;
  }

  #change(sql: string): StatementSync {
    const known = this.#changesBySql.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    // Every run also reports the connection's last rowid. A word index leaves one there that no double can hold, and
    // Node would throw.
    statement.setReadBigInts(true);
    this.#changesBySql.set(sql, statement);
    return statement;
  }

  #question(sql: string): StatementSync {
    const known = this.#questionsBySql.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    this.#questionsBySql.set(sql, statement);
    return statement;
  }
}
