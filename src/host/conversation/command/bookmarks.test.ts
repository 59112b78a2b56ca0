import { expect, test } from "vitest";
import { withRecord, withSnapshot } from "../../../client/watch/conversation-view.ts";
import type { RootId } from "../../../core/base/ids.ts";
import type { Bookmark } from "../../../core/forest/types.ts";
import { seededRandom } from "../../../testing/seeded-random.ts";
import { accepted, code, World } from "../queue/conversation.test-support.ts";
import { toldFeed } from "../queue/told-feed.test-support.ts";

/** Returns the bookmarks of a watcher that followed a conversation's feed from its start. */
async function heard(world: World, rootId: RootId): Promise<readonly Bookmark[]> {
  const empty = { rootId, seq: 0, root: accepted(await world.conversations.view(rootId)).root };
  let state = withSnapshot(null, {
    type: "conversation-snapshot",
    ...empty,
    nodes: [],
    runs: [],
    waiting: [],
    bookmarks: [],
  });
  for (const record of await toldFeed(world.store, rootId)) state = withRecord(state, record) ?? state;
  return state.view.bookmarks;
}

test("a bookmark follows the message when an edit makes it a branch, and others stay", async () => {
  const world = await World.start();
  const rootId = await world.newRoot();
  const { nodeId } = await world.send(rootId, null, "Tell me about cats");
  await world.rest();
  const { bookmarks, messages } = world.conversations;
  accepted(await bookmarks.put({ title: "question", rootId, nodeId }));
  accepted(await bookmarks.put({ title: "conversation", rootId, nodeId: null }));
  const content = [{ type: "text", text: "Tell me about dogs" }] as const;
  const edited = accepted(await messages.rewrite(world.ada, { nodeId, content: [...content] }));
  expect(edited.nodeId).not.toBe(nodeId);
  const places = (await bookmarks.list(rootId)).map(({ title, nodeId: place }) => [title, place]);
  expect(Object.fromEntries(places)).toEqual({ question: edited.nodeId, conversation: null });
  expect(await heard(world, rootId)).toEqual(await bookmarks.list(rootId));
});

test("bookmarks moved concurrently between conversations end where they were put last, and both feeds agree", async () => {
  const world = await World.start();
  const roots = [await world.newRoot(), await world.newRoot()] as const;
  const nodes = await Promise.all(roots.map((rootId) => world.send(rootId, null, "hi")));
  await world.rest();
  const { bookmarks } = world.conversations;
  const random = seededRandom(7);
  const acts = Array.from({ length: 200 }, () => {
    const title = `mark ${random.below(5)}`;
    const at = random.below(2);
    const rootId = roots[at] ?? roots[0];
    switch (random.below(4)) {
      case 0:
        return bookmarks.rename({ title, newTitle: `mark ${random.below(5)}` });
      case 1:
        return bookmarks.remove(title);
      default:
        return bookmarks.put({ title, rootId, nodeId: random.oneIn(3) ? null : (nodes[at]?.nodeId ?? null) });
    }
  });
  const done = await Promise.all(acts);
  expect(new Set(done.map(code))).toEqual(new Set(["ok", "NOT_FOUND", "CONFLICT"]));
  const stored = await bookmarks.list(null);
  expect(new Set(stored.map(({ title }) => title)).size).toBe(stored.length);
  for (const rootId of roots) {
    const own = stored.filter((bookmark) => bookmark.rootId === rootId);
    expect(await bookmarks.list(rootId)).toEqual(own);
    expect(await heard(world, rootId)).toEqual(own);
    expect(accepted(await world.conversations.view(rootId)).bookmarks).toEqual(own);
  }
  expect(world.errors).toEqual([]);
});

test("a bookmark is only set on an existing node, and a full disk leaves it where it was", async () => {
  const world = await World.start();
  const [here, there] = [await world.newRoot(), await world.newRoot()];
  const { nodeId } = await world.send(here, null, "hi");
  await world.rest();
  const { bookmarks } = world.conversations;
  accepted(await bookmarks.put({ title: "mark", rootId: here, nodeId }));
  expect(code(await bookmarks.put({ title: "mark", rootId: there, nodeId }))).toBe("NODE_NOT_FOUND");
  expect(code(await bookmarks.put({ title: "mark", rootId: "root_none" as RootId, nodeId: null }))).toBe(
    "ROOT_NOT_FOUND",
  );
  world.onCommit = () => "STORE_FULL";
  expect(code(await bookmarks.put({ title: "mark", rootId: there, nodeId: null }))).toBe("STORE_FULL");
  expect(code(await bookmarks.remove("mark"))).toBe("STORE_FULL");
  world.onCommit = () => null;
  expect(await bookmarks.list(here)).toMatchObject([{ title: "mark", nodeId }]);
  accepted(await bookmarks.put({ title: "mark", rootId: there, nodeId: null }));
  expect(await heard(world, here)).toEqual([]);
  expect(await heard(world, there)).toMatchObject([{ title: "mark", rootId: there, nodeId: null }]);
});
