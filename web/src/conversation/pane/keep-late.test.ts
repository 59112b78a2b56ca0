import { expect, test } from "vitest";
import { node } from "../../../../src/client/watch/conversation.test-support.ts";
import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import type { AssistantMessage } from "../../../../src/core/message/types.ts";
import { unsentEdit } from "../message/edit-form.tsx";
import { createConversation } from "../state/conversation.ts";
import { handServer, viewOf } from "../state/conversation.test-support.ts";
import { createKeepLate } from "./keep-late.ts";

const rootId = "root_keep_late" as RootId;
const question = node(1, null);

/** A page in which the reply's message is not known yet, and how it gets there. */
function waiting(content: AssistantMessage["content"]) {
  const server = handServer();
  const conversation = createConversation(rootId, server.ports);
  server.setView(rootId, viewOf([question]));
  conversation.open();
  const edited: NodeId[] = [];
  const keepLate = createKeepLate(conversation, (nodeId) => edited.push(nodeId), server.ports.tell);
  const reply = { ...node(2, 1), message: { role: "assistant" as const, content } };
  return {
    keepLate,
    edited,
    reply,
    told: server.reported,
    arrive: () => server.setView(rootId, viewOf([question, reply])),
  };
}

test("K-73 late words wait for the reply's message and are kept behind its words", async () => {
  const { keepLate, edited, reply, told, arrive } = waiting([{ type: "text", text: "The fox sleeps." }]);
  const kept = unsentEdit(reply.id);
  keepLate(" It dreams.", reply.id);
  expect([kept.get(), edited, told]).toEqual(["", [], []]);
  arrive();
  await expect.poll(() => edited).toEqual([reply.id]);
  expect(kept.get()).toBe("The fox sleeps. It dreams.");
  expect(told).toEqual([expect.stringContaining("save it to keep them")]);
  kept.clear();
});

test("late words for a reply that nobody can edit, or that left no message, are given back", async () => {
  const { keepLate, edited, reply, told, arrive } = waiting([
    { type: "text", text: "I look." },
    { type: "tool-use", id: "call_1", name: "search", parameters: {} } as never,
  ]);
  arrive();
  keepLate("one", reply.id);
  keepLate("two", null);
  await expect.poll(() => told).toEqual([expect.stringMatching(/: one$/u), expect.stringMatching(/: two$/u)]);
  expect([unsentEdit(reply.id).get(), edited]).toEqual(["", []]);
});
