import { expect, test } from "vitest";
import { StoreAwayError } from "../../adapters/storage/shared/store-error.ts";
import type { RootId } from "../../core/base/ids.ts";
import { noUsage } from "../../core/message/usage.ts";
import { calls, code, says, World } from "./queue/conversation.test-support.ts";

test("close closes the other conversations when one cannot be read", async () => {
  const world = await World.start({ script: () => calls("slow") });
  const other = await world.newRoot();
  const rootId = await world.newRoot();
  await world.send(rootId, null, "hi");
  await world.clock.advance(100);
  expect(world.tools.log).toEqual(["ran call-slow"]);
  world.onRead = (query) => {
    if (query === "root") throw new StoreAwayError("the database is away");
  };
  const view = world.conversations.view(other).catch((problem: unknown) => String(problem));
  await world.conversations.close();
  expect(await view).toContain("away");
  expect(world.tools.aborted).toEqual(["call-slow"]);
});

test("a stopping server refuses every request about a conversation, and creates and deletes none", async () => {
  const world = await World.start();
  const rootId = await world.newRoot();
  const { nodeId, runId } = await world.send(rootId, null, "hi");
  await world.rest();
  const { conversations, ada } = world;
  await conversations.close();
  const before = world.store.image();
  const requests = {
    view: conversations.view(rootId),
    create: conversations.create({}),
    settings: conversations.forSettings({ systemPrompt: "Be brief." }),
    delete: conversations.delete(rootId),
    send: conversations.messages.send(ada, { rootId, parentNodeId: nodeId, text: "more" }),
    "send elsewhere": conversations.messages.send(ada, {
      rootId: "unknown" as RootId,
      parentNodeId: null,
      text: "more",
    }),
    rewrite: conversations.messages.rewrite(ada, { nodeId, content: [{ type: "text", text: "bye" }] }),
    cancel: conversations.runs.cancel(ada, { runId, reason: "stopped" }),
    usage: conversations.usage(rootId),
  };
  const codes = Object.entries(requests).map(async ([name, answer]) => [name, code(await answer)] as const);
  expect(Object.fromEntries(await Promise.all(codes))).toEqual(
    Object.fromEntries(Object.keys(requests).map((name) => [name, "SHUTTING_DOWN"])),
  );
  expect(world.store.image()).toEqual(before);
});

test.each([1, 2, 3])("no sub-agent starts once the server stops, whichever commit it stops at: %i", async (at) => {
  const tasks = JSON.stringify({ tasks: [{ task: "look" }] });
  const world = await World.start({
    script: (_request, turn) =>
      turn > 0
        ? says("I looked.")
        : [
            { type: "tool-call-start", index: 0, id: "call", name: "spawn_sub_agents" },
            { type: "tool-call-delta", index: 0, text: tasks },
            { type: "tool-call-end", index: 0 },
            { type: "finished", reason: "tool-use", usage: noUsage },
          ],
  });
  const rootId = await world.newRoot();
  const closing: Promise<void>[] = [];
  let commits = 0;
  world.onCommit = (writes) => {
    const ofAgent = writes.some((write) => write.type === "put-root" && write.root.parent !== undefined);
    if (ofAgent || commits > 0) commits += 1;
    if (commits === at) closing.push(world.conversations.close());
    return null;
  };
  await world.send(rootId, null, "hi");
  await world.clock.advance(10_000);
  expect(closing).toHaveLength(1);
  await closing[0];
  expect(world.requests).toHaveLength(1);
  expect(commits).toBe(at);
});
