import { expect, test } from "vitest";
import { unchangedWords } from "./unchanged-words.ts";

test.each([
  [[], ""],
  [["a"], " 1 document that you may only read did not change."],
  [["a", "b"], " 2 documents that you may only read did not change."],
])("of %j it says %j", (ids, words) => {
  expect(unchangedWords(ids)).toBe(words);
});
