import type { Row } from "../row/sql.ts";

/** Rows decoded before the event loop gets a turn. */
export const rowsAtOnce = 500;

/** Decodes rows part by part, for `inSlices`. */
export function* decodedParts<Value>(
  rows: readonly Row[],
  decode: (row: Row) => Value,
): Generator<readonly Value[], void, undefined> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) yield rows.slice(from, from + rowsAtOnce).map(decode);
}
