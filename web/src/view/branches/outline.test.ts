import { expect, test } from "vitest";
import type { ToolCallId } from "../../../../src/core/base/ids.ts";
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

test("a branch that begins with a reply is titled by the answer or by what it changed, not by what it was about to do", () => {
  const call = { type: "tool-use", id: "c1" as ToolCallId, name: "canvas_apply_patch" } as const;
  const patch = "@@ -1 +1,2 @@\n-a\n+b\n+c\n";
  const working = {
    role: "assistant",
    content: [
      { type: "text", text: "I'll check out the canvas." },
      { ...call, parameters: { patch } },
    ],
  } as const;
  const result = {
    role: "tool",
    tool_call_id: call.id,
    tool_name: call.name,
    outcome: "ok",
    content: [{ type: "text", text: "{}" }],
  } as const;
  const forked = branchesOf(
    { q: null, r1: "q", t1: "r1", r2: "t1", r3: "q", t3: "r3" },
    {
      r1: working,
      t1: result,
      r2: { role: "assistant", content: [{ type: "text", text: "Shortened the introduction." }] },
      r3: working,
      t3: result,
    },
  );
  expect(outlineOf(forked).map(({ title }) => title)).toEqual([
    "q",
    "Shortened the introduction.",
    "Changed +2 −1 lines",
  ]);
});
