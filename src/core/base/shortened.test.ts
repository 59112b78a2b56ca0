import { expect, test } from "vitest";
import { beginningOf, shortened } from "./shortened.ts";

test.each([
  ["all of it", "abc", 3, "abc", "abc"],
  ["more than may be shown", "abcd", 3, "abc", "abc…"],
  ["a character that would be cut in half", "ab😀d", 3, "ab", "ab…"],
  ["a character that ends just there", "a😀d", 3, "a😀", "a😀…"],
  ["a half that stands alone", "a\ud83d", 3, "a\ufffd", "a\ufffd"],
  ["a half that stands alone where it is cut", "ab\ud83dcd", 3, "ab", "ab…"],
  ["nothing", "", 3, "", ""],
])("%s", (_name, text, unitsMax, beginning, whole) => {
  expect(beginningOf(text, unitsMax)).toBe(beginning);
  expect(shortened(text, unitsMax)).toBe(whole);
});
