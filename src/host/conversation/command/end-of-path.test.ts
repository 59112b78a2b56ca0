import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { Message } from "../../../core/message/types.ts";
import { callId, node, nodeId, root } from "../../../testing/store/records.ts";
import { endOfPath } from "./end-of-path.ts";

const text = (said: string) => [{ type: "text", text: said }] as const;
const question: Message = { role: "user", content: text("go") };
const calling: Message = {
  role: "assistant",
  content: [{ type: "tool-use", id: callId("1"), name: "look", parameters: {} }],
};
const result: Message = {
  role: "tool",
  tool_call_id: callId("1"),
  tool_name: "look",
  outcome: "ok",
  content: text(""),
};

describe("endOfPath", () => {
  test.each([0, 1, 7, 8, 9, 40])("holds the message that %d results follow, and nothing above it", async (results) => {
    const store = openMemoryStore();
    const messages = [question, question, calling, ...Array.from({ length: results }, () => result)];
    const path = messages.map((message, depth) =>
      node(String(depth), { message, parentId: depth === 0 ? null : nodeId(String(depth - 1)) }),
    );
    await store.commit([{ type: "put-root", root: root("a") }]);
    await store.commit(path.map((each) => ({ type: "put-node", node: each })));
    expect(await endOfPath(store, path.at(-1) ?? null)).toEqual(path.slice(2));
  });

  test("is the whole path where nothing but results is on it, and empty above the first message", async () => {
    const store = openMemoryStore();
    const only = node("1", { message: result });
    await store.commit([
      { type: "put-root", root: root("a") },
      { type: "put-node", node: only },
    ]);
    expect(await endOfPath(store, only)).toEqual([only]);
    expect(await endOfPath(store, null)).toEqual([]);
  });
});
