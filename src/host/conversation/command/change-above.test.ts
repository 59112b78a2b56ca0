import { expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import { assistant, user } from "../../../core/message/message.test-support.ts";
import { prefixHash } from "../../../core/forest/prefix-hash.ts";
import { accepted, says, World } from "../queue/conversation.test-support.ts";

test("a split at the top stores and broadcasts two messages, however many are below, and a run below continues", async () => {
  const world = await World.start({ script: () => says("fine") });
  const rootId = await world.newRoot();
  const { nodeId: top } = accepted(
    await world.conversations.messages.add(world.ada, {
      rootId,
      parentNodeId: null,
      messages: [
        user("hello there"),
        ...Array.from({ length: 30 }, (_, at) => [assistant(`a${at}`), user(`u${at}`)]).flat(),
      ],
    }),
  );
  const sent = accepted(await world.conversations.messages.send(world.ada, { rootId, parentNodeId: top, text: "one" }));
  await world.rest();
  const before = (await world.store.feed(rootId, 0, 1_000)).length;
  const first = must((await world.store.children(rootId, null))[0], "there is a first message");
  accepted(await world.conversations.messages.split({ nodeId: first.id, at: 6 }));
  const received = (await world.store.feed(rootId, 0, 1_000)).slice(before).map(({ body }) => body.type);
  expect(received).toEqual(["node-added", "node-changed"]);

  const head = must(await world.store.run(sent.runId), "the run is stored").headNodeId;
  accepted(await world.conversations.messages.send(world.ada, { rootId, parentNodeId: head, text: "two" }));
  await world.rest();
  for (const node of await world.store.nodes(rootId)) {
    const parent = node.parentId === null ? null : await world.store.node(node.parentId);
    expect(node.prefixHash).toBe(prefixHash(parent?.prefixHash ?? null, node.message));
  }
});
