import { expect, test } from "vitest";
import { modelsIn } from "./reply-settings-words.ts";

test.each<[string, readonly string[]]>([
  ["", []],
  ["a/b", ["a/b"]],
  [" a/b, c/d\n e/f,a/b ,", ["a/b", "c/d", "e/f"]],
])("14.20 the fallbacks in %j are read, each once", (typed, expected) => {
  expect(modelsIn(typed)).toEqual(expected);
});
