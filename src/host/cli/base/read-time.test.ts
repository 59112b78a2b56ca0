import { expect, test } from "vitest";
import { readTime } from "./read-time.ts";

test.each([
  ["90m", 1_000 + 90 * 60_000],
  ["12h", 1_000 + 12 * 3_600_000],
  ["30d", 1_000 + 30 * 86_400_000],
  ["2027-01-31", Date.UTC(2027, 0, 31)],
  ["1969-01-01", Number.NaN],
  ["0m", Number.NaN],
  ["soon", Number.NaN],
])("readTime reads %s", (text, expected) => {
  expect(readTime(text, 1_000)).toBe(expected);
});
