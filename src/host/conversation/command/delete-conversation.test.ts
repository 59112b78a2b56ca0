import { describe, expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { noUsage } from "../../../core/message/usage.ts";
import { accepted, calls, code, says, World, type Script } from "../queue/conversation.test-support.ts";
import { subAgentPrompt } from "../sub-agents.ts";

const withAgent: Script = (request) => {
  if (request.system.startsWith(subAgentPrompt)) return says("found it");
  if (request.messages.some(({ role }) => role === "tool")) return says("thanks");
  return [
    { type: "tool-call-start", index: 0, id: "spawn", name: "spawn_sub_agents" },
    { type: "tool-call-delta", index: 0, text: JSON.stringify({ tasks: [{ task: "look" }] }) },
    { type: "tool-call-end", index: 0 },
    { type: "finished", reason: "tool-use", usage: noUsage },
  ];
};

function remove(world: World, rootId: RootId): Promise<string> {
  return world.conversations.delete(rootId).then(code);
}

describe("deleting a conversation", () => {
  test("S-46 deletes the conversation with its sub-agents and notifies each watcher once", async () => {
    const world = await World.start({ script: withAgent });
    const other = await world.newRoot();
    const rootId = await world.newRoot();
    await world.send(rootId, null, "Look around.");
    await world.rest();
    expect(await world.store.roots()).toHaveLength(3);
    const ended: Refusal[] = [];
    const received: RootId[] = [];
    world.conversations.watchSummaries(({ id }) => void received.push(id));
    const watcher = { snapshot: () => {}, deliver: () => {}, terminated: (reason: Refusal) => void ended.push(reason) };
    accepted(await world.conversations.watch(rootId, 0, watcher));
    expect(await remove(world, rootId)).toBe("ok");
    expect((await world.store.roots()).map(({ id }) => id)).toEqual([other]);
    expect(ended.map((reason) => reason.code)).toEqual(["IN_TRASH"]);
    expect(received).toEqual([rootId]);
    expect(await remove(world, rootId)).toBe("IN_TRASH");
    expect(
      code(await world.conversations.messages.send(world.ada, { rootId, parentNodeId: null, text: "hello" })),
    ).toBe("IN_TRASH");
    expect(world.errors).toEqual([]);
  });

  test("K-76 a conversation comes back from the trash with its sub-agents, messages, bookmarks and runs", async () => {
    const world = await World.start({ script: withAgent });
    const rootId = await world.newRoot();
    await world.send(rootId, null, "Look around.");
    await world.rest();
    const { conversations, store } = world;
    const nodeId = must((await store.nodes(rootId)).at(-1), "an answer").id;
    accepted(await conversations.bookmarks.put({ title: "mark", rootId, nodeId }));
    const before = accepted(await conversations.view(rootId));
    const roots = await store.roots();
    const { entry } = accepted(await conversations.delete(rootId));
    expect(await store.roots()).toEqual([]);
    expect(await conversations.bookmarks.list(null)).toEqual([]);
    accepted(await conversations.bookmarks.put({ title: "mark", rootId: await world.newRoot(), nodeId: null }));
    accepted(await conversations.restore(entry, []));
    const after = accepted(await conversations.view(rootId));
    expect({ ...after, bookmarks: [] }).toEqual({ ...before, bookmarks: [] });
    expect(after.bookmarks.map(({ title }) => title)).toEqual(["mark (restored)"]);
    expect((await store.roots()).filter(({ id }) => roots.some((root) => root.id === id))).toEqual(roots);
    expect(code(await conversations.restore(entry, []))).toBe("NOT_IN_TRASH");
    await world.send(rootId, nodeId, "And now?");
    await world.rest();
    expect(world.errors).toEqual([]);
  });

  test("K-76 who watches the lists sees a restored conversation in them again", async () => {
    const world = await World.start({ script: () => says("hello") });
    const rootId = await world.newRoot();
    const { entry } = accepted(await world.conversations.delete(rootId));
    const received: RootId[] = [];
    world.conversations.watchSummaries(({ id }) => void received.push(id));
    accepted(await world.conversations.restore(entry, []));
    await world.clock.settle();
    expect(received).toEqual([rootId]);
  });

  test("S-46 a conversation that the store does not delete goes on, also for those who watch it", async () => {
    const world = await World.start({ script: () => says("hello") });
    const rootId = await world.newRoot();
    const ended: Refusal[] = [];
    const watcher = { snapshot: () => {}, deliver: () => {}, terminated: (reason: Refusal) => void ended.push(reason) };
    accepted(await world.conversations.watch(rootId, 0, watcher));
    world.onCommit = () => "STORE_FULL";
    expect(await remove(world, rootId)).toBe("STORE_FULL");
    world.onCommit = () => null;
    await world.send(rootId, null, "Still there?");
    await world.rest();
    expect([ended, (await world.store.nodes(rootId)).length]).toEqual([[], 2]);
  });

  test("S-46 is refused while a run works, and changes nothing", async () => {
    const world = await World.start({ script: () => calls("slow-a") });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "Work.");
    await world.clock.advance(100);
    expect(await remove(world, rootId)).toBe("AGENT_BUSY");
    expect(await world.runState(runId)).toBe("running-tools");
    accepted(await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" }));
    await world.clock.advance(200);
    expect(await remove(world, rootId)).toBe("ok");
  });

  test("while a bookmark moves from a sub-agent to the conversation does not deadlock", async () => {
    for (let later = 0; later < 40; later += 1) {
      const world = await World.start({ script: withAgent });
      const rootId = await world.newRoot();
      await world.send(rootId, null, "Look around.");
      await world.rest();
      const agent = must((await world.store.roots()).find(({ parent }) => parent !== undefined)?.id, "an agent");
      const { bookmarks } = world.conversations;
      accepted(await bookmarks.put({ title: "mark", rootId: agent, nodeId: null }));
      const removed = remove(world, rootId);
      for (let turn = 0; turn < later; turn += 1) await Promise.resolve();
      const moved = bookmarks.put({ title: "mark", rootId, nodeId: null }).then(code);
      const stuck = world.clock.settle().then(() => "deadlock");
      expect(await Promise.race([Promise.all([removed, moved]), stuck]), `${later}`).toEqual([
        "ok",
        expect.stringMatching(/^(?:ok|IN_TRASH)$/),
      ]);
    }
  });

  test("deletes a sub-agent's conversation only together with its parent", async () => {
    const world = await World.start({ script: withAgent });
    const rootId = await world.newRoot();
    await world.send(rootId, null, "Look around.");
    await world.rest();
    const agent = must(
      (await world.store.roots()).find(({ parent }) => parent !== undefined),
      "an agent",
    );
    expect(await remove(world, agent.id)).toBe("CONVERSATION_ENDED");
  });

  test("deletes nothing when the disk refuses, and the conversations continue", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    await world.send(rootId, null, "hello");
    await world.rest();
    world.onCommit = () => "STORE_FULL";
    expect(await remove(world, rootId)).toBe("STORE_FULL");
    world.onCommit = () => null;
    const view = accepted(await world.conversations.view(rootId));
    await world.send(rootId, must(view.nodes.at(-1), "an answer").id, "and now?");
    await world.rest();
    expect(accepted(await world.conversations.view(rootId)).nodes).toHaveLength(4);
  });
});
