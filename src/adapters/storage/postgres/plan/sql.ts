import type { ClientBase } from "pg";
import { assert } from "../../../../core/base/assert.ts";
import type { Row, SqlValue } from "../../row/sql.ts";
import { columnReader } from "./column-types.ts";
import { escapeText } from "./text-escape.ts";

/** A parameter: a column's value, or a list of values for an array. */
export type SqlParameter = SqlValue | readonly SqlValue[];

/** One statement with its values, and the number of rows that it must touch; null: any number. */
export interface Step {
  readonly sql: string;
  readonly values: readonly SqlParameter[];
  readonly touches: number | null;
}

/** The answer to a statement. */
export interface Answer {
  readonly rows: readonly Row[];
  readonly touched: number;
}

/** The statements of one connection, each prepared once. Statements that are not awaited are pipelined. */
export class Statements {
  readonly #client: Pick<ClientBase, "query">;

  constructor(client: Pick<ClientBase, "query">) {
    this.#client = client;
  }

  async ask(sql: string, values: readonly SqlParameter[] = []): Promise<Answer> {
    const query = { name: nameOf(sql), text: sql, values: values.map(bound), rowMode, types } as const;
    const answer = await this.#client.query<SqlValue[]>(query);
    return { rows: answer.rows, touched: answer.rowCount ?? 0 };
  }

  async all(sql: string, values: readonly SqlParameter[] = []): Promise<readonly Row[]> {
    return (await this.ask(sql, values)).rows;
  }

  async first(sql: string, values: readonly SqlParameter[] = []): Promise<Row | null> {
    return (await this.all(sql, values))[0] ?? null;
  }

  /** Returns the first column of the first row if it is a number. */
  async number(sql: string, values: readonly SqlParameter[] = []): Promise<number | null> {
    const found = (await this.first(sql, values))?.[0];
    return typeof found === "number" ? found : null;
  }

  /**
   * Runs one unprepared statement without values and returns the command that was run, since a COMMIT may have become a
   * ROLLBACK.
   */
  async command(sql: string): Promise<string> {
    return (await this.#client.query(sql)).command;
  }

  /** Runs several unprepared statements without values. */
  async script(sql: string): Promise<void> {
    await this.#client.query(sql);
  }
}

const rowMode = "array";
const types = { getTypeParser: columnReader };
/** Shared by all connections, so that a statement has one name. */
const namesBySql = new Map<string, string>();

function nameOf(sql: string): string {
  const known = namesBySql.get(sql);
  if (known !== undefined) return known;
  const name = `heddle_${namesBySql.size}`;
  namesBySql.set(sql, name);
  return name;
}

function bound(value: SqlParameter): SqlParameter {
  if (typeof value === "string") return escapeText(value);
  if (Array.isArray(value)) return value.map((each: SqlValue) => (typeof each === "string" ? escapeText(each) : each));
  assert(typeof value !== "number" || Number.isFinite(value), "a number of the database is finite");
  return value;
}
