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

/** Prepared statements of one connection, each compiled once. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #bySql = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Runs a change and tells how many rows it touched. */
  run(sql: string, values: Row): number {
    return Number(this.#prepared(sql).run(...values).changes);
  }

  all(sql: string, values: Row): readonly Row[] {
    const rows: readonly unknown[] = this.#prepared(sql).all(...values);
    return rows.filter((row) => Array.isArray(row));
  }

  /** The first column of the first row, where it is a number. */
  number(sql: string, values: Row): number | null {
    const found = this.all(sql, values)[0]?.[0];
    return typeof found === "number" ? found : null;
  }

  #prepared(sql: string): StatementSync {
    const known = this.#bySql.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    this.#bySql.set(sql, statement);
    return statement;
  }
}
