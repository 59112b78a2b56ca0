import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { BlockId, DocumentId, NodeId } from "../../../core/base/ids.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { hubLimits } from "../record/limits.ts";
import { atRest, authorOf, model, openWorld, TestReplica, type World } from "../world.test-support.ts";

interface Counted {
  readonly world: World;
  /** How often blocks were read from the store. */
  reads: number;
  /** Whether each compaction fails. */
  broken: boolean;
}

async function openCounted(): Promise<Counted> {
  const counted = { reads: 0, broken: false };
  const inner = openMemoryStore();
  const store = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]): unknown => {
        if (name === "snapshot") counted.reads += 1;
        if (name === "logStart" && counted.broken) throw new Error("the disk is away");
        return value.apply(target, given);
      };
    },
  });
  const world = await openWorld(store, simulatedClock());
  return Object.assign(counted, { world });
}

/** Streams a reply of a hundred lines and ends it, as a message of its conversation where `stored`. */
async function streamed(world: World, stored: boolean, reader?: (id: BlockId) => Promise<void>): Promise<BlockId> {
  const author = await authorOf(world, model("run"));
  const { id } = accept(
    await world.hub.editor.create(author, {
      documentId: "conversation" as DocumentId,
      parentId: null,
      role: "assistant",
      kind: "text",
      text: "",
      status: "running",
      metadata: { run_id: "run", turn_id: "run-turn" },
    }),
  );
  await reader?.(id);
  for (let line = 0; line < 100; line += 1) accept(await world.hub.editor.append(author, id, `line ${line}\n`));
  accept(await world.hub.live.seal(author, id));
  const place = stored ? { nodeId: "node" as NodeId, block: 0 } : null;
  accept(await world.hub.live.close(author, id, { status: "done", place }));
  await atRest();
  return id;
}

/** Returns whether a block is in memory: reading it reads nothing from the store. */
async function isInMemory(counted: Counted, id: BlockId): Promise<boolean> {
  const before = counted.reads;
  accept(await counted.world.hub.reader.read(id));
  return counted.reads === before;
}

describe("19.15 a live block leaves memory", () => {
  test("as soon as its message is stored, and each time somebody has read it", async () => {
    const counted = await openCounted();
    const id = await streamed(counted.world, true);
    expect(accept(await counted.world.hub.reader.read(id)).text).toHaveLength(790);
    await atRest();
    expect(await isInMemory(counted, id)).toBe(false);
    await atRest();
    expect(await isInMemory(counted, id)).toBe(false);
    expect(await counted.world.store.changes({ blockId: id, afterVersion: 0 })).toHaveLength(1);
  });

  test("with its last reader, and not before", async () => {
    const counted = await openCounted();
    const readers: TestReplica[] = [];
    const id = await streamed(counted.world, true, async (blockId) => {
      for (let each = 0; each < 2; each += 1) {
        const reader = new TestReplica(blockId);
        await reader.join(counted.world);
        readers.push(reader);
      }
    });
    const [one, other] = readers;
    expect(one?.text()).toHaveLength(790);
    one?.leave();
    await atRest();
    expect(await isInMemory(counted, id)).toBe(true);
    other?.leave();
    expect(await isInMemory(counted, id)).toBe(false);
  });

  test("also when its history cannot be compacted, and is compacted when it is read next", async () => {
    const counted = await openCounted();
    counted.broken = true;
    const id = await streamed(counted.world, true);
    const changes = async (): Promise<number> =>
      (await counted.world.store.changes({ blockId: id, afterVersion: 0 })).length;
    expect(await isInMemory(counted, id)).toBe(false);
    expect(await changes()).toBeGreaterThan(100);
    await atRest();
    counted.broken = false;
    expect(await isInMemory(counted, id)).toBe(false);
    await atRest();
    expect(await changes()).toBe(1);
  });

  test("after a while when it became no message", async () => {
    const counted = await openCounted();
    const id = await streamed(counted.world, false);
    expect(await isInMemory(counted, id)).toBe(true);
    await counted.world.clock.advance(2 * hubLimits.idleMs);
    expect(await isInMemory(counted, id)).toBe(false);
  });
});
