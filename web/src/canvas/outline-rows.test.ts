import { expect, test } from "vitest";
import { outlineRows, rowOfLine } from "./outline-rows.ts";

const text = "intro\n\n## Weft\n\n```\n# not a heading\n```\n\n#### Deep *down*\n\nSetext\n======\n\n#\n";

test("outlineRows lists headings with their lines and nesting depth", () => {
  expect(outlineRows(text)).toEqual([
    { depth: 1, title: "Weft", line: 3 },
    { depth: 2, title: "Deep *down*", line: 9 },
    { depth: 1, title: "Setext", line: 11 },
    { depth: 1, title: "(no title)", line: 14 },
  ]);
  expect(outlineRows("no headings")).toEqual([]);
});

test.each([
  [1, -1],
  [2, -1],
  [3, 0],
  [8, 0],
  [9, 1],
  [99, 3],
])("rowOfLine finds for line %i the heading at index %i", (line, place) => {
  expect(rowOfLine(outlineRows(text), line)).toBe(place);
});
