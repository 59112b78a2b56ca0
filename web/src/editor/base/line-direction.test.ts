import { expect, test } from "vitest";
import { mayRunFromTheRight } from "./line-direction.ts";

test.each([
  ["# עברית וגם English", true],
  ["مرحبا بالعالم", true],
  ["in praise: ﷺ", true],
  ["𞤀𞤣𞤤𞤢𞤥", true],
  ["plain, Ελληνικά, 日本語, 👩‍👩‍👧", false],
  ["", false],
])("mayRunFromTheRight(%j) is %s", (line, may) => {
  expect(mayRunFromTheRight(line)).toBe(may);
});
