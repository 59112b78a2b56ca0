import type { DatabaseSync, StatementSync } from "node:sqlite";

/** A column's value. */
export type SqlValue = null | number | string | Uint8Array;

/** One row of an answer, in the order of the query's columns. */
export type Row = readonly SqlValue[];

/** The refusal of one write of a commit; the store adds its index and decodes the lease. */
export type RowRefusal =
  | { readonly code: "CONFLICT"; readonly stored: number | null }
  | {
      readonly code: "LOCK_NOT_AVAILABLE" | "LOCK_NOT_OWNED" | "LEASE_EXPIRED" | "STALE_EPOCH";
      readonly lease: Row | null;
    }
  | { readonly code: "DUPLICATE_REQUEST"; readonly version: number };

type Preparing = Pick<DatabaseSync, "prepare">;

/** A cache of the table `new_changes`. */
export interface NewChangesKnown {
  /** The version that each request made, by its block's place and the request id. */
  readonly versionsByRequest: Map<string, number>;
  count: number;
  /** The number of edits to this cache. */
  edits: number;
  /** The place of the next change, after all places in `changes`. */
  nextPlace: number;
}

/** The prepared statements of one connection, each compiled once. */
export class Statements {
  readonly #database: Preparing;
  readonly #changesBySql = new Map<string, StatementSync>();
  readonly #questionsBySql = new Map<string, StatementSync>();
  /** A cache of blocks' places, verified on use. */
  readonly placesById = new Map<string, number>();
  /** null: must be read first. */
  newChanges: NewChangesKnown | null = null;
  #editsAtBegin = 0;

  constructor(database: Preparing) {
    this.#database = database;
  }

  /** Opens a transaction or savepoint that `rollBack` can revert. */
  begin(what: "BEGIN IMMEDIATE" | "SAVEPOINT one"): void {
    this.run(what, []);
    this.#editsAtBegin = this.newChanges?.edits ?? 0;
  }

  /** Rolls back to the last `begin`, or to the savepoint if one is named. */
  rollBack(to: "" | "TO one" = ""): void {
    // Most refusals happen before the log is touched: reading the new changes again would cost a hundred times as much.
    if (this.newChanges?.edits !== this.#editsAtBegin) this.newChanges = null;
    this.run(`ROLLBACK ${to}`, []);
  }

  /** Runs a change and returns the number of rows that it touched. */
  run(sql: string, values: Row): number {
    return Number(this.#change(sql).run(...values).changes);
  }

  all(sql: string, values: Row): readonly Row[] {
    const rows: readonly unknown[] = this.#question(sql).all(...values);
    return rows.filter((row) => Array.isArray(row));
  }

  /** Returns the rows one by one, as they are asked for; all of them must be before the next use of the statement. */
  *each(sql: string, values: Row): Generator<Row, void, undefined> {
    for (const row of this.#question(sql).iterate(...values) as Iterable<unknown>) if (Array.isArray(row)) yield row;
  }

  /** Returns the first column of the first row if it is a number. */
  number(sql: string, values: Row): number | null {
    const found = this.all(sql, values)[0]?.[0];
    return typeof found === "number" ? found : null;
  }

  #change(sql: string): StatementSync {
    const known = this.#changesBySql.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    // Every run also reports the connection's last rowid. A word index leaves one there that no double can hold, and Node
    // would throw.
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
