import { expect, test } from "vitest";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import { hiddenRows, rowsAdded } from "./use-earlier.ts";

test.each([
  ["a short branch is drawn whole", { rowCount: 30, lastCount: 0, first: null }, 0],
  ["a long one from its end", { rowCount: 6_000, lastCount: 0, first: null }, 5_940],
  ["what is drawn stays while it grows", { rowCount: 6_010, lastCount: 6_000, first: 5_940 }, 5_940],
  ["what was asked for stays", { rowCount: 6_001, lastCount: 6_000, first: 100 }, 100],
  ["a shorter branch is drawn from its own end", { rowCount: 1_000, lastCount: 6_000, first: 5_940 }, 940],
  ["a much longer one too, without the rows between", { rowCount: 6_000, lastCount: 1_000, first: 940 }, 5_940],
])("%s", (_name, list, hidden) => {
  expect(hiddenRows(list)).toBe(hidden);
});

const id = (name: string): NodeId => name as NodeId;

test.each([
  [
    "messages loaded above",
    { rowCount: 160, firstId: id("b"), lastId: id("z") },
    { rowCount: 360, firstId: id("a"), lastId: id("z") },
    200,
  ],
  [
    "a new message below",
    { rowCount: 160, firstId: id("b"), lastId: id("y") },
    { rowCount: 161, firstId: id("b"), lastId: id("z") },
    0,
  ],
  [
    "another branch",
    { rowCount: 160, firstId: id("b"), lastId: id("y") },
    { rowCount: 360, firstId: id("a"), lastId: id("z") },
    0,
  ],
  [
    "the first rows",
    { rowCount: 0, firstId: undefined, lastId: undefined },
    { rowCount: 160, firstId: id("b"), lastId: id("z") },
    0,
  ],
])("rows added at the beginning by %s", (_name, before, now, added) => {
  expect(rowsAdded(before, now)).toBe(added);
});
