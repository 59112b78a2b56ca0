import { AssertionError } from "../../../core/base/assert.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { RepeatedJson } from "./repeated-json.ts";
import type { Row, SqlValue } from "./sql.ts";

/** Reads a row column by column, in the order of the query, and asserts each column's type. */
export class RowReader {
  readonly #table: string;
  readonly #row: Row;
  #column = 0;

  constructor(table: string, row: Row) {
    this.#table = table;
    this.#row = row;
  }

  /** A text column; ids differ only by their brand. */
  text<Text extends string = string>(): Text {
    const value = this.#next();
    if (!isText<Text>(value)) throw this.#wrong("text");
    return value;
  }

  textOrNull<Text extends string = string>(): Text | null {
    return this.#skipNull() ? null : this.text<Text>();
  }

  /** Splits joined texts; the count fails when one of them holds the separator. */
  texts<Text extends string = string>(separator: string, count: number): readonly Text[] {
    const texts = this.text().split(separator);
    if (texts.length !== count || !areTexts<Text>(texts)) throw this.#wrong(`${count} texts`);
    return texts;
  }

  textsOrNull<Text extends string = string>(separator: string, count: number): readonly Text[] | null {
    return this.#skipNull() ? null : this.texts(separator, count);
  }

  integer<Value extends number = number>(): Value {
    const value = this.#next();
    if (!isInteger<Value>(value)) throw this.#wrong("an integer");
    return value;
  }

  integerOrNull(): number | null {
    return this.#skipNull() ? null : this.integer();
  }

  real(): number {
    const value = this.#next();
    if (typeof value !== "number") throw this.#wrong("a number");
    return value;
  }

  realOrNull(): number | null {
    return this.#skipNull() ? null : this.real();
  }

  flag(): boolean {
    const value = this.integer();
    if (value !== 0 && value !== 1) throw this.#wrong("0 or 1");
    return value === 1;
  }

  oneOf<Text extends string>(choices: readonly Text[]): Text {
    const value = this.text();
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw this.#wrong(`one of ${choices.join(", ")}`);
    return choice;
  }

  oneOfOrNull<Text extends string>(choices: readonly Text[]): Text | null {
    return this.#skipNull() ? null : this.oneOf(choices);
  }

  bytes(): Uint8Array {
    const value = this.#next();
    if (!(value instanceof Uint8Array)) throw this.#wrong("bytes");
    return value;
  }

  jsonObject(): JsonObject {
    return this.json(isJsonObject, "an object");
  }

  /** A JSON column whose value the guard must accept. */
  json<Value>(guard: (value: unknown) => value is Value, form: string): Value {
    const value: unknown = JSON.parse(this.text());
    if (!guard(value)) throw this.#wrong(form);
    return value;
  }

  /** A JSON column that has the same text in many rows: it is read once, and the value is shared. */
  repeatedJson<Value>(known: RepeatedJson<Value>, form: string): Value {
    const value = known.read(this.text());
    if (value === undefined) throw this.#wrong(form);
    return value;
  }

  jsonOrNull<Value>(guard: (value: unknown) => value is Value, form: string): Value | null {
    return this.#skipNull() ? null : this.json(guard, form);
  }

  #next(): SqlValue {
    const value = this.#row[this.#column];
    if (value === undefined) throw new AssertionError(`${this.#table} has a column ${this.#column}`);
    this.#column += 1;
    return value;
  }

  #skipNull(): boolean {
    if (this.#row[this.#column] !== null) return false;
    this.#column += 1;
    return true;
  }

  /** Made only where it is thrown: every column of every row passes here. */
  #wrong(form: string): AssertionError {
    return new AssertionError(`column ${this.#column - 1} of ${this.#table} holds ${form}`);
  }
}

function isText<Text extends string>(value: SqlValue): value is Text {
  return typeof value === "string";
}

function areTexts<Text extends string>(values: readonly string[]): values is readonly Text[] {
  return values.every((value) => typeof value === "string");
}

function isInteger<Value extends number>(value: SqlValue): value is Value {
  return Number.isSafeInteger(value);
}
