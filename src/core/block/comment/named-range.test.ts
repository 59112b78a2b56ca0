import { expect, test } from "vitest";
import { formatAnchor } from "../edit/anchor.ts";
import { findNamedRange, type NamedRange } from "./named-range.ts";

const text = "# Plan\nThe fox and the dog and the cat.\r\nthe end\n";

function found(named: NamedRange): string {
  const range = findNamedRange(text, named);
  if (!range.ok) return `${range.error.code} ${JSON.stringify(range.error.details)}`;
  return range.value === null ? "the document" : text.slice(range.value.from, range.value.to);
}

test.each([
  ["nothing is the whole document", {}, "the document"],
  ["a line is the line without its end", { lines: "2" }, "The fox and the dog and the cat."],
  ["lines are from the first to the last", { lines: "1-2" }, "# Plan\nThe fox and the dog and the cat."],
  ["an anchor is its lines without the last end", { lines: formatAnchor(3, "the end") }, "the end"],
  [
    "an anchor of several lines ends with the last",
    { lines: `${formatAnchor(1, "# Plan")}..${formatAnchor(2, "The fox and the dog and the cat.")}` },
    "# Plan\nThe fox and the dog and the cat.",
  ],
  ["words that occur once", { quote: "fox" }, "fox"],
  ["words within lines", { lines: "3", quote: "the" }, "the"],
  ["a line feed of a quote also matches CRLF", { quote: "cat.\nthe" }, "cat.\r\nthe"],
  ["K-14 an occurrence that is named", { lines: "2", quote: "the", occurrence: 2 }, "the"],
])("%s", (_name, named, expected) => {
  expect(found(named)).toBe(expected);
});

test("K-14 words that occur twice in the lines are refused with line and column of each", () => {
  expect(found({ lines: "2", quote: "the" })).toBe(
    'QUOTE_AMBIGUOUS {"quote":"the","occurrences":2,"found_at":[{"line":2,"column":12},{"line":2,"column":24}]}',
  );
});

test("K-15 words with another case or a missing letter are refused with the lines and where they do occur", () => {
  expect(found({ lines: "2", quote: "The Fox" })).toBe(
    'QUOTE_NOT_FOUND {"quote":"The Fox","actual":["2: The fox and the dog and the cat."],"found_at":[]}',
  );
  expect(found({ lines: "1", quote: "the end" })).toBe(
    'QUOTE_NOT_FOUND {"quote":"the end","actual":["1: # Plan"],"found_at":[{"line":3,"column":0}]}',
  );
});

test.each([
  ["a line beyond the text", { lines: "9" }, "LINE_OUT_OF_RANGE"],
  ["lines in the wrong order", { lines: "2-1" }, "INVALID_PARAMS"],
  ["an anchor of a line that has changed", { lines: "2:0000" }, "ANCHOR_MISMATCH"],
  ["an occurrence beyond the last", { quote: "the", occurrence: 9 }, "QUOTE_NOT_FOUND"],
])("%s is refused", (_name, named, code) => {
  expect(found(named)).toContain(code);
});
