import { expect, test } from "vitest";
import { linesWith, lineWithAny } from "./place-request.ts";

test("the place of a patch is its first line that the text still has", () => {
  const text = "# Plan\n\nsecond\nthird";
  expect(lineWithAny(text, ["", "gone", "third", "second"])).toBe(4);
  expect(lineWithAny(text, ["gone", " "])).toBeNull();
});

test("17.14 the place of a find is its line that has the words, also where the excerpt cuts that line", () => {
  const lines = linesWith("first thing\nA swallow flies over the", "swallow");
  expect(lines).toEqual(["A swallow flies over the"]);
  expect(lineWithAny("first thing\n\nA swallow flies over the hill", lines)).toBe(3);
  expect(lineWithAny("a b c", ["b"])).toBeNull();
});
