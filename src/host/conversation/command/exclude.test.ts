import { expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { NodeId, RootId } from "../../../core/base/ids.ts";
import { textOf } from "../../../core/message/content.ts";
import { accepted, calls, code, says, World, type WorldOptions } from "../queue/conversation.test-support.ts";

/** A conversation of a question, a call with its result, and a reply. */
async function talked(options: WorldOptions = {}): Promise<{
  readonly world: World;
  readonly rootId: RootId;
  readonly path: readonly NodeId[];
}> {
  const world = await World.start({
    script: (_request, turn) => (turn === 0 ? calls("safe") : says(`reply ${turn}`)),
    ...options,
  });
  const rootId = await world.newRoot();
  const { runId } = await world.send(rootId, null, "secret word: fern");
  await world.rest();
  const { headNodeId } = must(await world.store.run(runId), "a run");
  const path = await world.store.path(must(headNodeId, "a head"));
  return { world, rootId, path: path.map(({ id }) => id) };
}

async function goOn(world: World, rootId: RootId, text: string): Promise<readonly string[]> {
  const [run] = await world.store.runs(rootId);
  await world.send(rootId, must(run?.headNodeId, "a head"), text);
  await world.rest();
  return must(world.requests.at(-1), "a request").messages.map((message) => `${message.role}: ${textOf(message)}`);
}

test("14.8 a message that a person leaves out is not sent from the next request on, and is sent again once it is included", async () => {
  const { world, rootId, path } = await talked();
  const [question, reply] = path;
  const { messages } = world.conversations;
  const left = await messages.exclude({ nodeId: must(question, "a question"), excluded: true });
  expect(accepted(left)).toEqual({ nodeIds: [question] });
  const without = await goOn(world, rootId, "what was the word?");
  expect(without.join("\n")).not.toContain("fern");
  expect(without.at(-1)).toBe("user: what was the word?");
  const node = must(await world.store.node(must(question, "a question")), "a node");
  expect([node.excluded, textOf(node.message)]).toEqual([true, "secret word: fern"]);
  // The reply knows that it was made without the message.
  const [run] = await world.store.runs(rootId);
  const last = must(await world.store.node(must(run?.headNodeId, "a head")), "a reply");
  expect(last.request?.view).toMatch(/^[0-9a-f]{16}$/);
  accepted(await messages.exclude({ nodeId: must(question, "a question"), excluded: false }));
  expect((await goOn(world, rootId, "and now?"))[0]).toBe("user: secret word: fern");
  expect(await world.store.node(must(reply, "a reply"))).not.toHaveProperty("excluded");
});

test("14.8 a call and its result are left out together, whichever of them is named, and stored for the next start", async () => {
  const { world, rootId, path } = await talked();
  const [, reply, result] = path;
  const left = await world.conversations.messages.exclude({ nodeId: must(result, "a result"), excluded: true });
  expect(accepted(left)).toEqual({ nodeIds: [reply, result] });
  const later = await World.start({ image: world.store.image(), script: () => says("again") });
  const sent = await goOn(later, rootId, "go on");
  expect(sent).toEqual(["user: secret word: fern", "assistant: reply 1", "user: go on"]);
  accepted(await later.conversations.messages.exclude({ nodeId: must(reply, "a reply"), excluded: false }));
  expect((await goOn(later, rootId, "go on!")).slice(0, 3).map((line) => line.split(":")[0])).toEqual([
    "user",
    "assistant",
    "tool",
  ]);
});

test("14.8 a person who says again what was left out includes it", async () => {
  const { world, rootId, path } = await talked();
  const [question] = path;
  accepted(await world.conversations.messages.exclude({ nodeId: must(question, "a question"), excluded: true }));
  const { nodeId } = await world.send(rootId, null, "secret word: fern");
  await world.rest();
  expect(nodeId).toBe(question);
  expect(JSON.stringify(world.requests.at(-1)?.messages)).toContain("fern");
});

test("14.8 a branch at work refuses, so that the messages of a turn stay a beginning of each other", async () => {
  const { world, rootId, path } = await talked();
  world.script = () => [{ pauseMs: 5_000 }, ...says("slow")];
  const [run] = await world.store.runs(rootId);
  await world.send(rootId, must(run?.headNodeId, "a head"), "go on");
  await world.clock.settle();
  const { messages } = world.conversations;
  expect(code(await messages.exclude({ nodeId: must(path[0], "a question"), excluded: true }))).toBe("BRANCH_BUSY");
  expect(code(await messages.exclude({ nodeId: "nowhere" as NodeId, excluded: true }))).toBe("NODE_NOT_FOUND");
  await world.rest();
});

test("14.8 folding a message for people changes nothing of what models receive, even while a run writes", async () => {
  const { world, rootId, path } = await talked();
  const nodeId = must(path[0], "a question");
  accepted(await world.conversations.messages.collapse({ nodeId, collapsed: true }));
  expect(await world.store.node(nodeId)).toMatchObject({ collapsed: true });
  expect((await goOn(world, rootId, "go on"))[0]).toBe("user: secret word: fern");
  accepted(await world.conversations.messages.collapse({ nodeId, collapsed: false }));
  expect(await world.store.node(nodeId)).not.toHaveProperty("collapsed");
});
