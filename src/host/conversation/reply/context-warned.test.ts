import { expect, test } from "vitest";
import type { ToolCallId, TurnId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Message } from "../../../core/message/types.ts";
import type { Usage } from "../../../core/message/usage.ts";
import { wasContextWarned } from "./context-warned.ts";

const earlier = "turn-1" as TurnId;
const now = "turn-2" as TurnId;
const window = 1_000;

interface Facts {
  readonly turnId?: TurnId | null;
  /** Tokens that the server counted; null when it counted none. */
  readonly used?: number | null;
  readonly model?: string;
}

function node(message: Message, { turnId = earlier, used = null, model = "a/b" }: Facts = {}) {
  const usage: Usage | null =
    used === null ? null : { inputTokens: used - 10, outputTokens: 10, cachedInputTokens: 0, thinkingTokens: 0 };
  return { message, turnId, usage, request: { model } } as unknown as ForestNode;
}

const asked: Message = { role: "user", content: [{ type: "text", text: "hi" }] };
const answer: Message = { role: "assistant", content: [{ type: "text", text: "there" }] };
const call: Message = {
  role: "assistant",
  content: [{ type: "tool-use", id: "call_1" as ToolCallId, name: "look", parameters: {} }],
};
const long: Message = { role: "user", content: [{ type: "text", text: "word ".repeat(2_000) }] };

const warned = (...path: readonly ForestNode[]): boolean =>
  wasContextWarned(path, now, (id) => (id === "a/b" ? window : undefined));

test.each<readonly [name: string, path: readonly ForestNode[], expected: boolean]>([
  ["the last turn ended above the share", [node(asked), node(answer, { used: 801 })], true],
  ["the last turn ended at the share", [node(asked), node(answer, { used: 800 })], false],
  ["nothing was asked before", [node(asked, { turnId: now })], false],
  [
    "only this turn's own reply is above it",
    [node(asked, { turnId: now }), node(answer, { turnId: now, used: 900 })],
    false,
  ],
  ["the reply above it belongs to no turn", [node(answer, { turnId: null, used: 900 })], false],
  ["the reply above it was interrupted", [node({ ...answer, interrupted: true }, { used: 900 })], false],
  ["the reply above it called a tool", [node(call, { used: 900 })], false],
  [
    "an earlier turn ended above it, the last one below: the branch was shortened",
    [node(answer, { used: 900 }), node(answer, { used: 500 })],
    false,
  ],
  ["the model is unknown now", [node(answer, { used: 900, model: "gone/gone" })], false],
  ["the server counted nothing, and the texts fill it by estimate", [node(long), node(answer)], true],
  ["the server counted nothing, and the texts are short", [node(asked), node(answer)], false],
  ["only what came later is long", [node(answer), node(long, { turnId: now })], false],
])("people were notified of a nearly full branch before, when %s: %#", (_name, path, expected) => {
  expect(warned(...path)).toBe(expected);
});
