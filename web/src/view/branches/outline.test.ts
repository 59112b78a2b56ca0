import { expect, test } from "vitest";
import { outlineOf, rowNote, unfolded } from "./outline.ts";
import { branchesOf, id } from "./sample-branches.ts";

const tree = branchesOf(
  { q1: null, r1: "q1", q2: "r1", r2: "q2", q2b: "r1", r2b: "q2b", q3: "r2b", r3: "q3" },
  {
    q1: { role: "user", content: [{ type: "text", text: "Write an introduction" }] },
    q2b: { role: "user", content: [{ type: "text", text: "Make it funnier,\n please" }] },
    r2: { role: "assistant", interrupted: true, content: [{ type: "text", text: "I will" }] },
  },
);

test("a chain without forks is one row, and each branch of a fork is a row below it", () => {
  expect(outlineOf(tree).map((row) => [row.depth, row.id, row.endId])).toEqual([
    [0, "q1", "r1"],
    [1, "q2", "r2"],
    [1, "q2b", "r3"],
  ]);
});

test("a row says which version it is and how many turns are folded into it", () => {
  expect(outlineOf(tree).map(rowNote)).toEqual(["", "v1", "v2 · 2 turns"]);
});

test("a row is titled by its question on one line", () => {
  expect(outlineOf(tree)[2]?.title).toBe("Make it funnier, please");
});

test("a branch whose last reply was cut off says so", () => {
  expect(outlineOf(tree).map((row) => row.interrupted)).toEqual([false, true, false]);
});

test("collapsing a fork hides its branches and nothing else", () => {
  const rows = outlineOf(tree);
  expect(unfolded(rows, new Set([id("q1")])).map((row) => row.id)).toEqual(["q1"]);
  expect(unfolded(rows, new Set([id("q2")])).map((row) => row.id)).toEqual(["q1", "q2", "q2b"]);
});

test("a chain of many thousand messages is one row", () => {
  const parents: Record<string, string | null> = {};
  for (let index = 0; index < 20_000; index += 1) parents[`n${index}`] = index === 0 ? null : `n${index - 1}`;
  expect(outlineOf(branchesOf(parents))).toHaveLength(1);
});
