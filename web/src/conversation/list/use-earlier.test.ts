import { expect, test } from "vitest";
import { hiddenRows } from "./use-earlier.ts";

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
