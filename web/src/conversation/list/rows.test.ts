import { expect, test } from "vitest";
import type { ToolCallId } from "../../../../src/core/base/ids.ts";
import { goTo, firstVisit, pathTo } from "../../view/branches/path.ts";
import { branchesOf, id } from "../../view/branches/sample-branches.ts";
import { questionAbove } from "../../view/branches/questions.ts";
import { holdsNode, rowsOf } from "./rows.ts";

const callId = "c1" as ToolCallId;
const tree = branchesOf(
  { q1: null, r1: "q1", t1: "r1", r2: "t1", q2: "r2", t9: "q2" },
  {
    r1: { role: "assistant", content: [{ type: "tool-use", id: callId, name: "bash", parameters: {} }] },
    t1: { role: "tool", tool_call_id: callId, tool_name: "bash", outcome: "ok", content: [{ type: "text", text: "" }] },
    t9: {
      role: "tool",
      tool_call_id: "lost" as ToolCallId,
      tool_name: "bash",
      outcome: "ok",
      content: [{ type: "text", text: "" }],
    },
  },
);
const path = pathTo(tree, goTo(tree, firstVisit, id("q1")).tipId);

test("rowsOf places a tool result with its call, and a result without a call in its own row", () => {
  const rows = rowsOf(tree, path);
  expect(rows.map((row) => [row.type, row.node.id])).toEqual([
    ["question", "q1"],
    ["reply", "r1"],
    ["reply", "r2"],
    ["question", "q2"],
    ["result", "t9"],
  ]);
  expect(rows.map((row) => (row.type === "reply" ? row.results.get(callId)?.tool_name : null))).toEqual([
    null,
    "bash",
    undefined,
    null,
    null,
  ]);
});

test("rowsOf gives a call no result of an earlier call with the same id", () => {
  const call = {
    role: "assistant",
    content: [{ type: "tool-use", id: callId, name: "bash", parameters: {} }],
  } as const;
  const result = {
    role: "tool",
    tool_call_id: callId,
    tool_name: "bash",
    outcome: "ok",
    content: [{ type: "text", text: "first" }],
  } as const;
  const again = branchesOf({ q1: null, r1: "q1", t1: "r1", r2: "t1" }, { r1: call, t1: result, r2: call });
  const rows = rowsOf(again, pathTo(again, goTo(again, firstVisit, id("q1")).tipId));
  expect(rows.map((row) => (row.type === "reply" ? row.results.size : null))).toEqual([null, 1, 0]);
});

test("rowsOf joins the messages of one turn into one reply", () => {
  const replies = rowsOf(tree, path).filter((row) => row.type === "reply");
  expect(replies.map((row) => [row.begins, row.ends])).toEqual([
    [true, false],
    [false, true],
  ]);
});

test("rowsOf gives every message of a turn its question", () => {
  expect(questionAbove(path, id("r2"))?.id).toBe("q1");
  expect(questionAbove(path, id("q2"))?.id).toBe("q2");
});

test("rowsOf folds finished steps of a turn into one row, and leaves refused and last ones", () => {
  const calling = (name: string) =>
    ({
      role: "assistant",
      content: [{ type: "tool-use", id: name as ToolCallId, name: "bash", parameters: {} }],
    }) as const;
  const answering = (name: string, outcome: "ok" | "error") =>
    ({
      role: "tool",
      tool_call_id: name as ToolCallId,
      tool_name: "bash",
      outcome,
      content: [{ type: "text", text: "{}" }],
    }) as const;
  const turn = branchesOf(
    { q: null, r1: "q", t1: "r1", r2: "t1", t2: "r2", r3: "t2", t3: "r3", r4: "t3", q2: "r4" },
    {
      r1: calling("a"),
      t1: answering("a", "ok"),
      r2: calling("b"),
      t2: answering("b", "ok"),
      r3: calling("c"),
      t3: answering("c", "error"),
    },
  );
  const rows = rowsOf(turn, pathTo(turn, id("q2")));
  expect(rows.map((row) => [row.type, row.node.id])).toEqual([
    ["question", "q"],
    ["steps", "r1"],
    ["reply", "r3"],
    ["reply", "r4"],
    ["question", "q2"],
  ]);
  expect(rows.findIndex((row) => holdsNode(row, id("r2")))).toBe(1);
});
