import { expect, test } from "vitest";
import { nearestWord } from "./nearest-word.ts";

test.each([
  ["serv", "serve"],
  ["SERVE", "serve"],
  ["doctro", "doctor"],
  ["s", undefined],
  ["something", undefined],
])("%j is taken for %j", (typed, meant) => {
  expect(nearestWord(typed, ["serve", "doctor"])).toBe(meant);
});
