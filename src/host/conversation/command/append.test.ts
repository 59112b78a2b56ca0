import { expect, test } from "vitest";
import type { NodeId, RootId } from "../../../core/base/ids.ts";
import { asking, assistant, result, user } from "../../../core/message/message.test-support.ts";
import type { FeedRecord } from "../../../core/turn/state/feed.ts";
import { accepted, code, says, lineOf, World } from "../queue/conversation.test-support.ts";

async function append(world: World, rootId: RootId, parentNodeId: NodeId | null, ...messages: readonly unknown[]) {
  return world.conversations.messages.add(world.ada, { rootId, parentNodeId, messages });
}

test("an append stores the new messages as the appender's, sends them in the feed without a gap, and asks no model", async () => {
  const world = await World.start();
  const rootId = await world.newRoot();
  const heard: FeedRecord[] = [];
  accepted(
    await world.conversations.watch(rootId, 0, {
      snapshot: () => {},
      deliver: (records) => void heard.push(...records),
    }),
  );
  const first = accepted(await append(world, rootId, null, user("hi"), assistant("a")));
  const second = accepted(await append(world, rootId, null, user("hi"), assistant("b")));
  await world.rest();
  expect(world.requests).toEqual([]);
  expect(await world.store.runs(rootId)).toEqual([]);
  const nodes = await world.store.nodes(rootId);
  expect(nodes.map(lineOf)).toEqual(["user: hi", "assistant: a", "assistant: b"]);
  expect([first.nodeId, second.nodeId]).toEqual([nodes[1]?.id, nodes[2]?.id]);
  expect(nodes.map(({ actor, runId }) => [actor.name, runId])).toEqual(nodes.map(() => ["Ada", null]));
  const added = heard.flatMap(({ body }) => (body.type === "node-added" ? [body.node.id] : []));
  expect(added).toEqual(nodes.map((node) => node.id));
  expect(heard.map(({ seq }) => seq)).toEqual(heard.map((_, at) => at + 1));
});

test("a conversation without a title is named after the first appended question", async () => {
  const world = await World.start();
  const rootId = await world.newRoot();
  accepted(await append(world, rootId, null, assistant("welcome"), user("How are you?")));
  accepted(await append(world, rootId, null, user("Another")));
  expect((await world.store.root(rootId))?.title).toBe("How are you?");
});

test("a conversation continues from an appended message as from any other once its calls have results", async () => {
  const world = await World.start({ script: () => says("fine") });
  const rootId = await world.newRoot();
  const open = accepted(await append(world, rootId, null, user("hi"), asking("a"))).nodeId;
  const message = { rootId, parentNodeId: open, text: "and?" };
  expect(code(await world.conversations.messages.send(world.ada, message))).toBe("TOOL_RESULT_UNPAIRED");
  const whole = accepted(await append(world, rootId, open, result("a"), assistant("done"))).nodeId;
  const { runId } = accepted(await world.conversations.messages.send(world.ada, { ...message, parentNodeId: whole }));
  await world.rest();
  expect(await world.branch(runId)).toEqual([
    "user: hi",
    "assistant: [a]",
    "tool a: ok",
    "assistant: done",
    "user: and?",
    "assistant: fine",
  ]);
});

test("a person's append ends the leases of the conversation's runs even if the message exists already", async () => {
  const world = await World.start({ script: () => [{ pauseMs: 1_000 }, ...says("hello")] });
  const rootId = await world.newRoot();
  const { nodeId, runId } = await world.send(rootId, null, "hi");
  await world.clock.settle();
  world.leases.leased.add(runId);
  accepted(await append(world, rootId, nodeId, assistant("an answer from elsewhere")));
  expect(world.tools.log).toEqual([]);
  accepted(await append(world, rootId, null, user("hi")));
  expect(world.tools.log).toEqual(["preempted"]);
  await world.rest();
  expect(await world.branch(runId)).toEqual(["user: hi", "assistant: hello"]);
});

test("R9 a full disk refuses an append as a whole and accepts it when there is space again", async () => {
  const world = await World.start();
  const rootId = await world.newRoot();
  world.onCommit = () => "STORE_FULL";
  expect(code(await append(world, rootId, null, user("hi"), assistant("a")))).toBe("STORE_FULL");
  expect(await world.store.nodes(rootId)).toEqual([]);
  world.onCommit = () => null;
  accepted(await append(world, rootId, null, user("hi"), assistant("a")));
  expect(await world.store.nodes(rootId)).toHaveLength(2);
});

test("F-13 fifty concurrent appends below one parent create fifty children; repeating them creates none", async () => {
  const world = await World.start();
  const rootId = await world.newRoot();
  const all = Array.from({ length: 50 }, (_, at) =>
    append(world, rootId, null, user(`question ${at}`), assistant("a")),
  );
  await Promise.all(all);
  expect(await world.store.children(rootId, null)).toHaveLength(50);
  const same = await Promise.all(Array.from({ length: 50 }, () => append(world, rootId, null, user("same"))));
  expect(new Set(same.map((each) => accepted(each).nodeId)).size).toBe(1);
  expect(await world.store.nodes(rootId)).toHaveLength(101);
});

test("F-04 an append to a long conversation finds existing messages in few reads, also below a message in the middle", async () => {
  const world = await World.start();
  const rootId = await world.newRoot();
  const all = Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? user(`q ${at}`) : assistant(`a ${at}`)));
  accepted(await append(world, rootId, null, ...all));
  const nodes = await world.store.nodes(rootId);
  let reads = 0;
  const children = world.store.children.bind(world.store);
  world.store.children = (...args) => {
    reads += 1;
    return children(...args);
  };
  const longer = accepted(await append(world, rootId, null, ...all, user("new")));
  expect((await world.store.path(longer.nodeId as NodeId)).map(({ id }) => id).slice(0, 300)).toEqual(
    nodes.map(({ id }) => id),
  );
  const middle = nodes[99]?.id ?? null;
  const again = accepted(await append(world, rootId, middle, ...all.slice(100), user("new")));
  expect(again.nodeId).toBe(longer.nodeId);
  expect(reads).toBe(0);
  expect(await world.store.nodes(rootId)).toHaveLength(301);
});
