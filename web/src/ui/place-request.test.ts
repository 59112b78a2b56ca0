import { expect, test } from "vitest";
import { lineWithAny } from "./place-request.ts";

test("the place of a patch is its first line that the text still has", () => {
  const text = "# Plan\n\nsecond\nthird";
  expect(lineWithAny(text, ["", "gone", "third", "second"])).toBe(4);
  expect(lineWithAny(text, ["gone", " "])).toBeNull();
});
