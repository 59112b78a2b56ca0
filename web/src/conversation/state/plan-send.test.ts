import { expect, test } from "vitest";
import { node, runIn } from "../../../../src/client/watch/conversation.test-support.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { runHead } from "../../view/run/run-head.ts";
import { requesting } from "./conversation.test-support.ts";
import { planSend } from "./plan-send.ts";

const question = node(1, null);
const reply = { ...node(2, 1), message: { role: "assistant", content: [] } } as unknown as ForestNode;
const tree = { nodesById: new Map(), childrenByParent: new Map() };
const idle = { tree, path: [question, reply], run: null };
const working = { ...idle, run: runHead(runIn(requesting)) };
const none = { text: "", pasted: "" };

test.each([
  ["no words after a reply", { state: idle, words: none }, { type: "nothing" }],
  [
    "no words after a question",
    { state: { ...idle, path: [question] }, words: none },
    { type: "ask-again", nodeId: "node_1" },
  ],
  [
    "no words after a question, without asking",
    { state: { ...idle, path: [question] }, words: none, ask: false },
    { type: "nothing" },
  ],
  ["no words while an agent works", { state: { ...working, path: [question] }, words: none }, { type: "nothing" }],
  ["blanks", { state: idle, words: { text: " \n", pasted: "" } }, { type: "nothing" }],
  [
    "words",
    { state: idle, words: { text: " hi ", pasted: "" } },
    { type: "deliver", text: "hi", messages: ["hi"], deliver: "steer" },
  ],
  [
    "a pasted text and words",
    { state: idle, words: { text: "why?", pasted: "long" } },
    { type: "deliver", text: "long\n\nwhy?", messages: ["long", "why?"], deliver: "steer" },
  ],
  [
    "both while an agent works: one message",
    { state: working, words: { text: "why?", pasted: "long" } },
    { type: "deliver", text: "long\n\nwhy?", messages: ["long\n\nwhy?"], deliver: "steer" },
  ],
  [
    "words without asking while an agent works",
    { state: working, words: { text: "hi", pasted: "" }, ask: false },
    { type: "refuse" },
  ],
  [
    "words before the conversation is loaded",
    { state: { ...idle, tree: null }, words: { text: "hi", pasted: "long" } },
    { type: "load-first", text: "long\n\nhi" },
  ],
  [
    "files alone",
    { state: idle, words: none, fileCount: 1 },
    { type: "deliver", text: "", messages: [""], deliver: "steer" },
  ],
  [
    "more than a message takes",
    { state: idle, words: { text: "x".repeat(3_000_000), pasted: "" } },
    { type: "refuse" },
  ],
])("F-47 Send with %s", (_name, now, plan) => {
  expect(planSend({ fileCount: 0, ask: true, deliver: "steer", ...now })).toMatchObject(plan);
});
