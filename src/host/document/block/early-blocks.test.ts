import { expect, test } from "vitest";
import { accept } from "../../../core/base/result.test-support.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import type { Store } from "../../../core/port/store.ts";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { createDocumentHub } from "../hub.ts";
import { hubLimits } from "../record/limits.ts";
import {
  atRest,
  authorOf,
  createBlock,
  insertion,
  model,
  openWorld,
  person,
  textOf,
  type World,
} from "../world.test-support.ts";
import { EarlyBlocks } from "./early-blocks.ts";

const document = { kind: "file", status: "done" } as const;

async function write(world: World, blockId: BlockId, text: string): Promise<void> {
  const author = await authorOf(world, person("ada"));
  accept(await world.hub.editor.edit(author, blockId, { changes: [insertion(0, text)] }));
}

/** A world with a document of many changes, of which most are in its snapshot. */
async function busyWorld(): Promise<{ readonly world: World; readonly id: BlockId }> {
  const world = await openWorld();
  const { id } = await createBlock(world, { ...document, document: "busy" });
  for (let count = 0; count < hubLimits.snapshotChangesMin + 9; count += 1) await write(world, id, `${count} `);
  await atRest();
  return { world, id };
}

/** The store, with the ids of the blocks whose snapshots are read; what is given takes the place of its own. */
function counted(store: Store, given: Partial<Store> = {}): { readonly store: Store; readonly snapshots: BlockId[] } {
  const snapshots: BlockId[] = [];
  const instead: Partial<Store> = {
    snapshot(blockId) {
      snapshots.push(blockId);
      return store.snapshot(blockId);
    },
    ...given,
  };
  const counting = new Proxy(store, {
    get(target, name) {
      const own = (instead as Record<string | symbol, unknown>)[name] ?? Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
  return { store: counting, snapshots };
}

/** Whoever takes over: a hub over the same store with what was read early. */
async function nextHub(world: World, store: Store, early: EarlyBlocks): Promise<World> {
  const next = await openWorld(world.store, world.clock);
  const { platform, leases, replicas } = next;
  return { ...next, hub: createDocumentHub({ store, platform, leases, replicas, early }) };
}

test("a document that was read early opens with what was written since, without its snapshot", async () => {
  const { world, id } = await busyWorld();
  const early = new EarlyBlocks();
  await early.read(world.store, world.clock.now());
  await write(world, id, "since ");
  const { store, snapshots } = counted(world.store);
  const next = await nextHub(world, store, early);
  expect(await textOf(next, id)).toBe(await textOf(world, id));
  expect(await textOf(next, id)).toMatch(/^since 136 /);
  expect(snapshots).toEqual([]);
  await write(next, id, "after ");
  expect((await world.store.block(id))?.version).toBe(hubLimits.snapshotChangesMin + 12);
  const later = await openWorld(openMemoryStore(world.store.image()));
  expect(await textOf(later, id)).toBe(await textOf(next, id));
});

test("what a run wrote before and after the reading is undone as one", async () => {
  const { world, id } = await busyWorld();
  const before = await textOf(world, id);
  const actor = model("run");
  const author = await authorOf(world, actor);
  accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, "one ")] }));
  const early = new EarlyBlocks();
  await early.read(world.store, world.clock.now());
  accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, "two ")] }));
  const next = await nextHub(world, world.store, early);
  expect(await textOf(next, id)).toBe(`two one ${before}`);
  accept(await next.hub.history.undoTurn(await authorOf(next, person("ada")), actor.turnId));
  expect(await textOf(next, id)).toBe(before);
});

test("what was read of a log that was cut meanwhile is dropped, with what was to be forgotten", async () => {
  const { world, id } = await busyWorld();
  const early = new EarlyBlocks();
  await early.read(world.store, world.clock.now());
  const start = { beforeVersion: 7, state: { textVersion: [], undo: {} } };
  const { store, snapshots } = counted(world.store, { logStart: async () => start as never });
  const header = await world.store.block(id);
  expect(header === null ? null : await early.take(store, header)).toBe(null);
  const next = await nextHub(world, store, early);
  await textOf(next, id);
  expect(snapshots).toEqual([id]);
});

test("documents that nobody changed lately, blocks of conversations and deleted documents are not read", async () => {
  const clock = simulatedClock();
  const world = await openWorld(undefined, clock);
  const old = await createBlock(world, { ...document, document: "old" });
  await clock.advance(hubLimits.earlyAgeMs + 1);
  const reply = await createBlock(world, { document: "talk" });
  const kept = await createBlock(world, { ...document, document: "kept" });
  const { store, snapshots } = counted(world.store);
  const early = new EarlyBlocks();
  await early.read(store, clock.now());
  expect(snapshots).toEqual([kept.id]);
  expect(await early.take(store, old)).toBe(null);
  expect(await early.take(store, reply)).toBe(null);
  expect((await early.take(store, kept))?.id).toBe(kept.id);
  expect(await early.take(store, kept), "given away once").toBe(null);
});

test("reading ends when it is stopped, and what nobody opened is let go of", async () => {
  const world = await openWorld();
  const headers = [];
  for (let count = 0; count < 3 * hubLimits.earlyReads; count += 1) {
    headers.push(await createBlock(world, { ...document, document: `number-${count}` }));
  }
  const { store, snapshots } = counted(world.store);
  const early = new EarlyBlocks();
  const reading = early.read(store, world.clock.now());
  early.stop();
  await reading;
  expect(snapshots.length).toBeLessThanOrEqual(hubLimits.earlyReads);
  const whole = new EarlyBlocks();
  await whole.read(store, world.clock.now());
  whole.clear();
  for (const header of headers) expect(await whole.take(store, header)).toBe(null);
});
