import { expect, test } from "vitest";
import type { CommandName } from "./commands.ts";
import { readCommand } from "./read-command.ts";

const table: Record<CommandName, { readonly good: object; readonly bad: readonly unknown[] }> = {
  "conversation.create": {
    good: { title: "A talk", model: "scripted/scribe", canvasId: null },
    bad: [{ title: "" }, { title: "x".repeat(201) }, { model: "no-slash" }, { canvasId: 3 }],
  },
  "conversation.rename": {
    good: { rootId: "root_1", title: "New" },
    bad: [{}, { rootId: "root_1", title: "  " }, { rootId: "root_1", title: "half \ud800" }],
  },
  "conversation.set-model": {
    good: { rootId: "root_1", model: "openrouter/anthropic/x" },
    bad: [{ rootId: "root_1", model: "" }, { model: "a/b" }],
  },
  "conversation.set-canvas": { good: { rootId: "root_1", canvasId: null }, bad: [{ rootId: "root_1" }] },
  "message.send": {
    good: { rootId: "root_1", parentNodeId: null, text: "Hello", queue: true, clientRequestId: "r1" },
    bad: [
      { rootId: "root_1", parentNodeId: null, text: " \n", clientRequestId: "r1" },
      { rootId: "root_1", parentNodeId: null, text: "half \ud800", clientRequestId: "r1" },
      { rootId: "root_1", parentNodeId: null, text: "Hello" },
      { rootId: "root_1", parentNodeId: null, text: ["Hello"], clientRequestId: "r1" },
    ],
  },
  "message.edit": { good: { nodeId: "node_1", text: "Better", clientRequestId: "r1" }, bad: [{ nodeId: "node_1" }] },
  "message.regenerate": { good: { nodeId: "node_1", clientRequestId: "r1" }, bad: [{}] },
  "run.cancel": { good: { runId: "run_1" }, bad: [{ runId: "" }] },
  "run.retry": { good: { runId: "run_1" }, bad: [{ runId: null }] },
  "canvas.create": { good: { title: "Notes", text: "# Notes\n" }, bad: [{}, { title: "Notes", text: 1 }] },
  "canvas.set-policy": {
    good: { canvasId: "doc/1/2", policy: "lease" },
    bad: [{ canvasId: "doc/1/2", policy: "anarchy" }],
  },
  "canvas.take-control": { good: { canvasId: "doc/1/2" }, bad: [{}] },
  "block.undo-mine": { good: { blockId: "doc/1/2" }, bad: [{ blockId: "a b" }] },
  "block.redo-mine": { good: { blockId: "doc/1/2" }, bad: [{}] },
  "block.turns": { good: { blockId: "doc/1/2" }, bad: [[]] },
  "turn.undo": { good: { turnId: "turn_1" }, bad: [{}] },
  "turn.redo": { good: { turnId: "turn_1" }, bad: ["turn_1"] },
  "models.list": { good: {}, bad: ["all", 3] },
};

test.each(Object.entries(table))("%s takes its parameters and refuses others", (name, { good, bad }) => {
  expect(readCommand(name, good)).toEqual({ ok: true, value: { name, params: good } });
  for (const params of bad) {
    const read = readCommand(name, params);
    expect([params, read.ok ? "read" : read.error.code]).toEqual([params, "INVALID_PARAMS"]);
  }
});

test.each(["conversation.delete", "", "__proto__", "constructor", "toString"])("%j is no command", (name) => {
  const read = readCommand(name, {});
  expect(read.ok ? "read" : read.error.code).toBe("UNKNOWN_METHOD");
});

test("a command without parameters may leave them out", () => {
  expect(readCommand("models.list", undefined)).toEqual({ ok: true, value: { name: "models.list", params: {} } });
});
