import { expect, test } from "vitest";
import { nearestWord } from "./nearest-word.ts";

test.each([
  ["serv", "serve"],
  ["SERVE", "serve"],
  ["doctro", "doctor"],
  ["s", undefined],
  ["something", undefined],
])("nearestWord(%j) is %j", (typed, meant) => {
  expect(nearestWord(typed, ["serve", "doctor"])).toBe(meant);
});
