import { expect, test } from "vitest";
import { LineCursor } from "./line-cursor.ts";

/** What is left of a line, and how far it is indented, once columns of spaces are skipped. */
function after(line: string, columns: number): readonly [rest: string, indent: number] {
  const cursor = new LineCursor(line);
  cursor.skipColumns(columns);
  return [cursor.rest, cursor.indent];
}

test.each<[string, number, string, number]>([
  ["  a", 2, "a", 0],
  ["  a", 1, "a", 1],
  ["  a", 9, "a", 0],
  ["\ta", 4, "a", 0],
  ["\ta", 3, "a", 1],
  ["\t\ta", 4, "a", 4],
  ["\t\ta", 6, "a", 2],
  ["\t\ta", 8, "a", 0],
  [" \ta", 4, "a", 0],
  ["\t a", 5, "a", 0],
])("of %j, %i columns are skipped", (line, columns, rest, indent) => {
  expect(after(line, columns)).toEqual([rest, indent]);
});
