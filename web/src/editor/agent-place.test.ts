import { expect, test } from "vitest";
import { carriedOffset } from "./agent-place.ts";

test.each([
  ["text before it", 10, [{ from: 2, to: 2, insert: "abc" }], 13],
  ["text after it", 10, [{ from: 12, to: 14, insert: "" }], 10],
  ["text at it", 10, [{ from: 10, to: 10, insert: "abc" }], 10],
  ["a piece around it", 10, [{ from: 8, to: 12, insert: "" }], 8],
  [
    "several pieces",
    10,
    [
      { from: 0, to: 4, insert: "" },
      { from: 6, to: 6, insert: "ab" },
    ],
    8,
  ],
])("carriedOffset moves the agent's place past a change of %s", (_name, offset, changes, expected) => {
  expect(carriedOffset(offset, changes)).toBe(expected);
});
