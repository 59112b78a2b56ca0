import { expect, test } from "vitest";
import { costWords } from "./cost-words.ts";

test.each([
  [0, "$0.00"],
  [0.00001, "< $0.0001"],
  [0.0123, "$0.0123"],
  [0.05, "$0.05"],
  [0.1, "$0.10"],
  [12.345, "$12.35"],
  [1234.5, "$1,234.50"],
])("%d dollars read %s", (dollars, words) => {
  expect(costWords(dollars, "en-US")).toBe(words);
});
