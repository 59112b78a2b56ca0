import { expect, test } from "vitest";
import { readCsv, separatorOf } from "./csv.ts";

test("17.5 a CSV file is read as a table: quotes, separators and line breaks in cells, any common separator", () => {
  expect(readCsv('a,"b, c"\r\n"say ""hi""","two\nlines"\n,\n', 10)).toEqual({
    rows: [
      ["a", "b, c"],
      ['say "hi"', "two\nlines"],
      ["", ""],
    ],
    more: false,
  });
  expect(readCsv("a;b\n1;2,5", 10).rows).toEqual([
    ["a", "b"],
    ["1", "2,5"],
  ]);
  expect(separatorOf('"a;b;c;d",x')).toBe(",");
  expect(readCsv("a\tb\n1\t2", 1)).toEqual({ rows: [["a", "b"]], more: true });
  expect(readCsv('"never ends, a', 10).rows).toEqual([["never ends, a"]]);
  expect(readCsv("", 10)).toEqual({ rows: [], more: false });
});
