import { expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { NodeId, RootId } from "../../core/base/ids.ts";
import type { LiveBlocks } from "../conversation/base/ports.ts";
import { accept } from "../../core/base/result.test-support.ts";
import {
  authorOf,
  insertion,
  model,
  openWorld,
  person,
  requestId,
  TestReplica,
  type World,
} from "../document/world.test-support.ts";
import { documentOfConversation } from "../document/record/document-of.ts";
import { createLiveBlocks } from "./live-blocks.ts";

const rootId = "root_1" as RootId;

function liveBlocksOf(world: World): LiveBlocks {
  return createLiveBlocks({ hub: world.hub, replicas: world.replicas, logger: world.platform.logger });
}

function seed(kind: "text" | "thinking" = "text") {
  const metadata = { run_id: "run", turn_id: "run-turn" };
  return { rootId, kind, role: "assistant", actor: model("run"), metadata } as const;
}

test("a live block grows for its watchers while it streams, and closes with its whole text", async () => {
  const world = await openWorld();
  const blocks = liveBlocksOf(world);
  const id = await blocks.open(seed());
  const replica = new TestReplica(id);
  await replica.join(world);
  for (const piece of ["Once ", "upon a time\n", "the "]) blocks.append(id, piece);
  await world.clock.advance(100);
  expect(replica.text()).toBe("Once upon a time\nthe ");
  blocks.append(id, "end");
  await blocks.finish(id, "done");
  await blocks.finish(id, "done");
  await blocks.finish(id, "error");
  const { header, text } = accept(await world.hub.reader.read(id));
  expect([text, header.status, header.documentId]).toEqual(["Once upon a time\nthe end", "done", rootId]);
  expect(replica.text()).toBe(text);
});

test("16.8 what agents stream at once is written at the same moment, so that one transaction stores it", async () => {
  const world = await openWorld();
  const blocks = liveBlocksOf(world);
  const ids = [await blocks.open(seed()), await blocks.open({ ...seed(), rootId: "root_2" as RootId })];
  await world.clock.advance(100 - (world.clock.monotonic() % 100));
  const committedAt = new Map<string, number>();
  for (const rootId of ["root_1", "root_2"] as RootId[]) {
    world.hub.feeds.watchDocument(documentOfConversation(rootId), (changes) => {
      for (const { blockId } of changes) committedAt.set(blockId, world.clock.monotonic());
    });
  }
  for (const id of ids) {
    blocks.append(id, "a word ");
    await world.clock.advance(35);
  }
  await world.clock.advance(100);
  expect([...committedAt.keys()]).toEqual(ids);
  expect(new Set(committedAt.values()).size).toBe(1);
});

test("live blocks of a dead process are found once, with their text, and can be closed", async () => {
  const world = await openWorld();
  const blocks = liveBlocksOf(world);
  const closed = await blocks.open(seed("thinking"));
  await blocks.finish(closed, "done");
  const open = await blocks.open(seed());
  blocks.append(open, "half a line\nlost");
  await world.clock.advance(0);
  const later = await openWorld(openMemoryStore(world.store.image()));
  const after = liveBlocksOf(later);
  const metadata = { run_id: "run", turn_id: "run-turn" };
  const text = "half a line\nlost";
  expect(await after.unfinished(rootId)).toEqual([
    { id: open, kind: "text", metadata, text, streamed: text.length, edit: null },
  ]);
  await after.finish(open, "error");
  expect(await after.unfinished(rootId)).toEqual([]);
  expect(accept(await later.hub.reader.read(open)).header.status).toBe("error");
});

test("14.2 a seal has every edit accepted before it, and refuses those after it while the message is being stored", async () => {
  const world = await openWorld();
  const blocks = liveBlocksOf(world);
  const id = await blocks.open(seed());
  blocks.append(id, "Once upon a time");
  await world.clock.advance(100);
  const replica = new TestReplica(id);
  await replica.join(world);
  const ann = await authorOf(world, person("Ann"));
  accept(await world.hub.editor.push(ann, id, replica.edit(ann.replica, [insertion(0, "HUMAN ")]), requestId()));
  blocks.append(id, ", half a line");
  const sealed = await blocks.seal(id);
  expect(sealed).toMatchObject({
    text: "HUMAN Once upon a time, half a line",
    streamed: 29,
    edit: {
      original: "Once upon a time, half a line",
      authors: [
        { from: 0, to: 6, by: { name: "Ann" } },
        { from: 6, to: 35 },
      ],
      editors: [{ name: "Ann" }],
    },
  });
  const late = await world.hub.editor.push(ann, id, replica.edit(ann.replica, [insertion(0, "late ")]), requestId());
  const tool = await world.hub.editor.edit(ann, id, { changes: [insertion(0, "late ")] });
  const header = accept(await world.hub.reader.read(id)).header;
  expect([late, tool].map((result) => (result.ok ? "ok" : result.error.code))).toEqual([
    "MESSAGE_STORED",
    "BLOCK_IS_MESSAGE",
  ]);
  expect(header.status).toBe("running");
  // Another process knows no seal: it takes the text as it is on disk, and seals it again.
  const later = liveBlocksOf(await openWorld(openMemoryStore(world.store.image())));
  expect(await later.unfinished(rootId)).toMatchObject([{ id, text: sealed.text, edit: sealed.edit }]);
});

test("all blocks of a run have the same author, so that blame leads to the run", async () => {
  const world = await openWorld();
  const blocks = liveBlocksOf(world);
  const ids = [await blocks.open(seed()), await blocks.open(seed())];
  const replicas = new Set(ids.map((id) => id.split("/").at(-2)));
  expect(replicas.size).toBe(1);
  expect(world.replicas.actorOf(Number([...replicas][0]) as never)).toMatchObject({ runId: "run" });
});

test("16.5 a reply whose message is stored leaves its text behind, not the log of how it grew", async () => {
  const world = await openWorld();
  const blocks = liveBlocksOf(world);
  const id = await blocks.open(seed());
  for (let word = 0; word < 40; word += 1) {
    blocks.append(id, `word ${word} `);
    await world.clock.advance(100);
  }
  const replica = new TestReplica(id);
  await replica.join(world);
  const { text } = await blocks.seal(id);
  const log = async () => world.store.changes({ blockId: id, afterVersion: 0 });
  expect((await log()).length).toBeGreaterThan(30);
  await blocks.finish(id, "done", { nodeId: "node_1" as NodeId, block: 0 });
  await world.clock.advance(100);
  expect(await log()).toMatchObject([{ body: { type: "status", status: "done" } }]);
  expect(replica.text()).toBe(text);
  const late = new TestReplica(id);
  await late.join(world);
  expect(late.text()).toBe(text);
  // Another process reads the same.
  const later = await openWorld(openMemoryStore(world.store.image()));
  const again = new TestReplica(id);
  await again.join(later);
  expect(again.text()).toBe(text);
});

test("16.5 a reply that left no message keeps its log", async () => {
  const world = await openWorld();
  const blocks = liveBlocksOf(world);
  const id = await blocks.open(seed());
  for (const word of ["one ", "two ", "three "]) {
    blocks.append(id, word);
    await world.clock.advance(100);
  }
  await blocks.finish(id, "error");
  await world.clock.advance(100);
  expect((await world.store.changes({ blockId: id, afterVersion: 0 })).length).toBeGreaterThan(3);
});
