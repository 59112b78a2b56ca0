import { expect, test } from "vitest";
import { branchesOf } from "./sample-branches.ts";
import { layThreads } from "./thread-layout.ts";

test("layThreads makes a fork's bundle as thick as its leaves and centres it on them", () => {
  const layout = layThreads(branchesOf({ a: null, b: "a", c: "b", d: "b", e: "d", f: "d" }));
  expect(layout.leafCount).toBe(3);
  expect(layout.depthMax).toBe(4);
  expect(
    layout.strands.map((strand) => [strand.firstId, strand.endId, strand.from, strand.leaves, strand.across]),
  ).toEqual([
    ["a", "b", -1, 3, 0.75],
    ["c", "c", 0, 1, 0],
    ["d", "d", 0, 2, 1.5],
    ["e", "e", 2, 1, 1],
    ["f", "f", 2, 1, 2],
  ]);
});

test("a conversation without messages has nothing to draw", () => {
  expect(layThreads(branchesOf({})).strands).toEqual([]);
});

test("a hundred thousand messages are laid out at once", () => {
  const parents: Record<string, string | null> = { n0: null };
  for (let index = 1; index < 100_000; index += 1)
    parents[`n${index}`] = `n${Math.floor((index - 1) / (index % 7 === 0 ? 2 : 1) / 1.02)}`;
  const layout = layThreads(branchesOf(parents));
  expect(layout.leafCount).toBeGreaterThan(1);
});
