import { expect, test } from "vitest";
import type { ActorId, BlockId, DocumentId, NodeId, RootId, ToolCallId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Message } from "../../../core/message/types.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";
import type { ConversationView, LiveBlock } from "../../../client/base/types.ts";
import { root, runIn } from "../../../client/watch/conversation.test-support.ts";
import { beginFollowing, follow, type Followed, type BranchEvent } from "./follow-run.ts";

const { runId } = runIn({ type: "idle" });
const progress = { rounds: 0, asking: "reply" } as const;
const requesting = (attempt: number, retryAt: number | null = null): TurnState => {
  return { type: "requesting", attempt, retryAt, lastFailure: null, progress };
};
const idle: TurnState = { type: "idle" };

function live(id: string, kind: "text" | "thinking" | "tool_result", text: string, callId = ""): LiveBlock {
  const header = {
    id: id as BlockId,
    documentId: "root_1" as DocumentId,
    parentId: null,
    role: "assistant",
    kind,
    status: "running",
    version: 1,
    metadata: { tool_call_id: callId },
    collapsed: false,
    excluded: false,
    createdAt: 0,
    updatedAt: 0,
  } as const;
  return { header, text };
}

function nodesOf(...messages: readonly Message[]): readonly ForestNode[] {
  return messages.map((message, index): ForestNode => ({
    id: `node_${index + 1}` as NodeId,
    rootId: "root_1" as RootId,
    parentId: index === 0 ? null : (`node_${index}` as NodeId),
    prefixHash: String(index),
    message,
    actor: { type: "person", id: "person_1" as ActorId, name: "Ada" },
    runId,
    turnId: null,
    usage: null,
    createdAt: index,
  }));
}

function view(nodes: readonly ForestNode[], state: TurnState, liveBlocks: readonly LiveBlock[] = []): ConversationView {
  const run = runIn(state, { headNodeId: nodes.at(-1)?.id ?? null, liveBlocks });
  const nodesById = new Map(nodes.map((node) => [node.id, node]));
  return { root, nodesById, childrenByParent: new Map(), runs: [run], notices: [], bookmarks: [], seq: 1, part: null };
}

/** Returns what a reader of these views sees, as short texts. */
function read(...views: readonly ConversationView[]): readonly string[] {
  const [first, ...others] = views;
  if (first === undefined) return [];
  let followed: Followed = beginFollowing(runId, view([], idle));
  const seen: BranchEvent[] = [];
  for (const each of [first, ...others]) {
    const step = follow(followed, each);
    ({ followed } = step);
    seen.push(...step.branchEvents);
  }
  return seen.flatMap((branchEvent) => {
    switch (branchEvent.type) {
      case "text":
      case "thinking":
        return [`${branchEvent.type} ${branchEvent.text}`];
      case "output":
        return [`output ${branchEvent.text}`];
      case "call":
        return [`call ${branchEvent.call.name} ${branchEvent.place}/${branchEvent.of}`];
      case "result":
        return [`result ${branchEvent.wasShown ? "shown" : "new"}`];
      case "state":
        return [];
      case "user-message":
      case "reply":
      case "reply-broken":
      case "notice":
      case "sub-agent":
        return [branchEvent.type];
    }
  });
}

const hello: Message = { role: "user", content: [{ type: "text", text: "Hi" }] };
const reply = (...texts: readonly [string, ...string[]]): Message => {
  const [first, ...rest] = texts;
  const block = (text: string) => ({ type: "text", text }) as const;
  return { role: "assistant", content: [block(first), ...rest.map((text) => block(text))] };
};

test("14.2 words that a person changed while they streamed appear whole when the reply is stored", () => {
  const question = nodesOf(hello);
  expect(
    read(
      view(question, requesting(1), [live("b1", "text", "Once upon")]),
      view(question, requesting(1), [live("b1", "text", "HUMAN Once upon a time")]),
      view(question, requesting(1), [live("b1", "text", "HUMAN Once upon a time there")]),
      view(nodesOf(hello, reply("HUMAN Once upon a time there was")), idle),
    ),
  ).toEqual(["user-message", "text Once upon", "text \nHUMAN Once upon a time there was", "reply"]);
});

test("words appear once: as they stream, and from the stored reply only the missing rest", () => {
  const question = nodesOf(hello);
  expect(
    read(
      view(question, requesting(1)),
      view(question, requesting(1), [live("b1", "thinking", "Hm")]),
      view(question, requesting(1), [live("b1", "thinking", "Hm."), live("b2", "text", "Hel")]),
      view(question, requesting(1), [live("b1", "thinking", "Hm."), live("b2", "text", "Hello")]),
      view(nodesOf(hello, reply("Hello there", "And more")), idle),
    ),
  ).toEqual([
    "user-message",
    "thinking Hm",
    "thinking .",
    "text Hel",
    "text lo",
    "text  there",
    "text \nAnd more",
    "reply",
  ]);
});

test("a reply that did not stream appears whole", () => {
  expect(read(view(nodesOf(hello, reply("All at once")), idle))).toEqual(["user-message", "text All at once", "reply"]);
});

test("a broken reply is reported, and the next attempt starts from the beginning", () => {
  const question = nodesOf(hello);
  expect(
    read(
      view(question, requesting(1), [live("b1", "text", "Half")]),
      view(question, requesting(2, 500)),
      view(question, requesting(2), [live("b2", "text", "Whole")]),
      view(nodesOf(hello, reply("Whole")), idle),
    ),
  ).toEqual(["user-message", "text Half", "reply-broken", "text Whole", "reply"]);
});

test("a dropped connection, after which a reply's blocks come later than its state, breaks no reply", () => {
  const question = nodesOf(hello);
  expect(
    read(
      view(question, requesting(1), [live("b1", "text", "One ")]),
      view(question, requesting(1)),
      view(question, requesting(1), [live("b1", "text", "One two")]),
      view(nodesOf(hello, reply("One two")), idle),
    ),
  ).toEqual(["user-message", "text One ", "text two", "reply"]);
});

test("calls appear with their places, also calls that ended before the first view", () => {
  const callId = "call_a" as ToolCallId;
  const other = "call_b" as ToolCallId;
  const uses = [callId, other].map((id) => ({ type: "tool-use", id, name: id, parameters: {} }) as const);
  const [first, second] = uses;
  if (first === undefined || second === undefined) throw new Error("two calls");
  const asking: Message = { role: "assistant", content: [first, second] };
  const answered = (id: ToolCallId): Message => {
    return { role: "tool", tool_call_id: id, tool_name: id, content: [{ type: "text", text: "ok" }], outcome: "ok" };
  };
  const running: TurnState = {
    type: "running-tools",
    pending: [
      { id: callId, name: "call_a", parameters: {} },
      { id: other, name: "call_b", parameters: {} },
    ],
    running: [callId],
    arrived: [],
    completed: [],
    parallel: false,
    progress,
  };
  expect(
    read(
      view(nodesOf(hello, asking), running),
      view(nodesOf(hello, asking), running, [live("r1", "tool_result", "li", callId)]),
      view(nodesOf(hello, asking), running, [live("r1", "tool_result", "line", callId)]),
      view(nodesOf(hello, asking, answered(callId), answered(other)), { type: "awaiting", progress }),
    ),
  ).toEqual([
    "user-message",
    "reply",
    "call call_a 1/2",
    "output li",
    "output ne",
    "result shown",
    "call call_b 2/2",
    "result new",
  ]);
});
