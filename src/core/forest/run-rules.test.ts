import { expect, test } from "vitest";
import { readCompactAt } from "./run-rules.ts";

test.each([
  ["off", "off"],
  ["50", 50],
  ["95 %", 95],
  ["80%", 80],
  ["49", null],
  ["96%", null],
  ["100", null],
  ["half", null],
  ["", null],
])("when a branch is summed up, written %j, is read as %j", (text, share) => {
  expect(readCompactAt(text)).toBe(share);
});
