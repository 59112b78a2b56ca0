import { assert } from "../../../../core/base/assert.ts";
import type { SqlValue } from "../../row/sql.ts";
import { unescapeText } from "./text-escape.ts";

/** The types of the columns of Heddle's tables and queries, by their number in PostgreSQL's catalogue. */
const typeIds = { bytes: 17, integer8: 20, integer2: 21, integer4: 23, text: 25, float8: 701, flag: 16 } as const;

/**
 * Returns a reader of a column's text that gives the same values as every store: integers that a double holds exactly, and
 * texts unchanged.
 */
export function columnReader(typeId: number): (text: string) => SqlValue {
  switch (typeId) {
    case typeIds.integer2:
    case typeIds.integer4:
    case typeIds.integer8:
      return readInteger;
    case typeIds.float8:
      return Number;
    case typeIds.flag:
      return (text) => (text === "t" ? 1 : 0);
    case typeIds.bytes:
      return readBytes;
    case typeIds.text:
      return unescapeText;
    default:
      return (text) => text;
  }
}

/** An integer beyond a double's precision stays a text, which row readers refuse as a number. */
function readInteger(text: string): SqlValue {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

function readBytes(text: string): Uint8Array {
  assert(text.startsWith("\\x"), "bytes come in hexadecimal digits");
  return new Uint8Array(Buffer.from(text.slice(2), "hex"));
}
