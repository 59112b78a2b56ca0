import { expect, test } from "vitest";
import { beginningOf, shortened } from "./shortened.ts";

test.each([
  ["a text that fits", "abc", 3, "abc", "abc"],
  ["a text that is too long", "abcd", 3, "abc", "abc…"],
  ["a character that the cut would halve", "ab😀d", 3, "ab", "ab…"],
  ["a character that ends at the cut", "a😀d", 3, "a😀", "a😀…"],
  ["a lone surrogate", "a\ud83d", 3, "a\ufffd", "a\ufffd"],
  ["a lone surrogate at the cut", "ab\ud83dcd", 3, "ab", "ab…"],
  ["an empty text", "", 3, "", ""],
])("%s", (_name, text, unitsMax, beginning, whole) => {
  expect(beginningOf(text, unitsMax)).toBe(beginning);
  expect(shortened(text, unitsMax)).toBe(whole);
});
