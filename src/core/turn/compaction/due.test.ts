import { expect, test } from "vitest";
import { canHelp, mayCompact } from "./due.ts";

test("a branch that has no summary yet is summed up as its window fills, however little was said in it", () => {
  expect(canHelp({ path: [], window: 1_000_000, compactAt: 0.8, failed: 0 })).toBe(true);
});

test.each([
  ["where nobody knows the window", { window: null, compactAt: 0.8, failed: 0 }, false],
  ["where it is switched off", { window: 100, compactAt: null, failed: 0 }, false],
  ["after one failure", { window: 100, compactAt: 0.8, failed: 1 }, true],
  ["after two failures in a row", { window: 100, compactAt: 0.8, failed: 2 }, false],
])("a compaction begins by itself %s: %j", (_when, branch, may) => {
  expect(canHelp({ path: [], ...branch })).toBe(may);
  expect(mayCompact(branch)).toBe(branch.window === null ? true : may);
});
