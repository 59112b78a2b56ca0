import { expect, test } from "vitest";
import { hasSurrogate } from "./surrogates.ts";

test.each([
  ["", false],
  ["a", false],
  ["\ud7ff", false],
  ["\ud800", true],
  ["\udfff", true],
  ["\ue000", false],
  ["a\ue000", false],
  ["a😀", true],
])("%j has half of a pair: %s", (text, has) => {
  expect(hasSurrogate(text)).toBe(has);
});
