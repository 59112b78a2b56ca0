import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import type { BlockId, DocumentId } from "../../core/base/ids.ts";
import type { BlockEntry } from "./block-deletion.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import {
  authorOf,
  createBlock,
  insertion,
  model,
  openWorld,
  person,
  requestId,
  TestReplica,
  textOf,
  type World,
} from "./world.test-support.ts";

const document = "doc" as DocumentId;

async function remove(world: World, id: BlockId): Promise<BlockEntry> {
  return accept(await world.hub.deletion.delete(await authorOf(world, person("ada")), id)).entry;
}

async function listed(world: World): Promise<readonly BlockId[]> {
  return (await world.hub.reader.list(document)).map((header) => header.id);
}

describe("a deleted block", () => {
  test("B-33 every request to a deleted block returns IN_TRASH, and BLOCK_NOT_FOUND once it is purged, also after a restart", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { text: "text", kind: "file" });
    const kept = await createBlock(world);
    const entry = await remove(world, id);
    const restarted = await openWorld(openMemoryStore(world.store.image()));
    const purged = await openWorld(openMemoryStore(world.store.image()));
    accept(await purged.hub.deletion.purge(await authorOf(purged, person("ada")), entry));
    const worlds = [world, restarted, purged, await openWorld(openMemoryStore(purged.store.image()))];
    for (const [index, now] of worlds.entries()) {
      const ada = await authorOf(now, person("ada"));
      const { hub } = now;
      const watcher = { snapshot: () => expect.fail("sent"), deliver: () => expect.fail("sent") };
      const answers = [
        await hub.reader.read(id),
        await hub.reader.readAt(id, 1),
        await hub.editor.edit(ada, id, { changes: [insertion(0, "x")] }),
        await hub.editor.append(ada, id, "x"),
        await hub.editor.setStatus(ada, id, "running"),
        await hub.editor.update(ada, id, { collapsed: true }),
        await hub.deletion.delete(ada, id),
        await hub.history.undo(ada, id),
        await hub.history.page(id, { entriesMax: 1 }),
        await hub.history.turnsOf(id),
        await hub.feeds.watch(id, 0, watcher),
        await hub.feeds.watch(id, 1, watcher),
      ];
      expect(answers.map(codeOf)).toEqual(answers.map(() => (index < 2 ? "IN_TRASH" : "BLOCK_NOT_FOUND")));
      expect(await listed(now)).toEqual([kept.id]);
      expect(await hub.reader.list(null)).toEqual([]);
    }
  });

  test("B-33 deleting a block keeps the order of its siblings and never reuses its id", async () => {
    const world = await openWorld();
    const first = await createBlock(world);
    const middle = await createBlock(world);
    const last = await createBlock(world);
    const behindMiddle = await createBlock(world, { after: middle.id });
    await remove(world, middle.id);
    expect(await listed(world)).toEqual([first.id, behindMiddle.id, last.id]);
    await remove(world, last.id);
    const later = await openWorld(openMemoryStore(world.store.image()));
    expect(await listed(later)).toEqual([first.id, behindMiddle.id]);
    const next = await createBlock(later);
    expect([first.id, middle.id, last.id, behindMiddle.id]).not.toContain(next.id);
    expect(await listed(later)).toEqual([first.id, behindMiddle.id, next.id]);
  });

  test("a block that was restored meanwhile is not purged", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { text: "text", kind: "file" });
    const ada = await authorOf(world, person("ada"));
    const { entry } = accept(await world.hub.deletion.delete(ada, id));
    accept(await world.hub.deletion.restore(ada, entry));
    expect(codeOf(await world.hub.deletion.purge(ada, entry))).toBe("CONFLICT");
    expect(await textOf(world, id)).toBe("text");
  });

  test("B-33 remaining blocks keep their order through any creations and deletions", async () => {
    const step = fc.record({ at: fc.nat(20), what: fc.constantFrom("last", "after", "after", "delete") });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const world = await openWorld();
        const expected: BlockId[] = [];
        const made = new Set<BlockId>();
        for (const { at, what } of steps) {
          const place = at % Math.max(1, expected.length);
          const sibling = expected[place];
          if (what === "delete" && sibling !== undefined) {
            await remove(world, sibling);
            expected.splice(place, 1);
          } else {
            const after = what === "after" ? sibling : undefined;
            const { id } = await createBlock(world, after === undefined ? {} : { after });
            expect(made).not.toContain(id);
            made.add(id);
            expected.splice(after === undefined ? expected.length : place + 1, 0, id);
          }
        }
        expect(await listed(world)).toEqual(expected);
      }),
      { numRuns: scaled(60) },
    );
  });

  test("B-21 a deleted block refuses new blocks under it or after it and keeps its children", async () => {
    const world = await openWorld();
    const parent = await createBlock(world);
    const child = await createBlock(world, { parentId: parent.id, text: "still here" });
    await remove(world, parent.id);
    await expect(createBlock(world, { parentId: parent.id })).rejects.toThrow("BLOCK_NOT_FOUND");
    await expect(createBlock(world, { after: parent.id })).rejects.toThrow("BLOCK_NOT_FOUND");
    expect(await textOf(world, child.id)).toBe("still here");
  });

  test("watchers receive buffered text and then the deletion as the last version", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const replica = new TestReplica(id);
    await replica.join(world);
    const author = await authorOf(world, model("run"));
    accept(await world.hub.editor.append(author, id, "half a li"));
    await remove(world, id);
    expect(replica.text()).toBe("half a li");
    expect(replica.deliveries.flat().map(({ body }) => body.type)).toEqual(["text", "deleted"]);
    expect(accept(await world.hub.reader.catchUp(id, 2))).toMatchObject({ type: "changes", changes: [{ version: 3 }] });
    expect((await world.store.block(id))?.deletedAt).toBeTypeOf("number");
  });

  test("a deleted block still acknowledges a repeated push", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const ada = await authorOf(world, person("ada"));
    const typing = requestId();
    const replica = new TestReplica(id);
    await replica.join(world);
    const update = replica.edit(ada.replica, [insertion(0, "x")]);
    accept(await world.hub.editor.push(ada, id, update, typing));
    accept(await world.hub.deletion.delete(ada, id));
    expect(accept(await world.hub.editor.push(ada, id, update, typing))).toMatchObject({ version: 2 });
  });

  test("undoing a turn skips a deleted file and undoes the turn's other files", async () => {
    const world = await openWorld();
    const [deleted, kept] = [
      await createBlock(world, { kind: "file", document: "one" }),
      await createBlock(world, { kind: "file", document: "two" }),
    ];
    const replica = await authorOf(world, model("run", "turn"));
    for (const { id } of [deleted, kept])
      accept(await world.hub.editor.edit(replica, id, { changes: [insertion(0, "x")] }));
    await remove(world, deleted.id);
    const ada = await authorOf(world, person("ada"));
    const { turnId } = model("run", "turn");
    expect(accept(await world.hub.history.undoTurn(ada, turnId)).map(({ blockId }) => blockId)).toEqual([kept.id]);
    expect(await textOf(world, kept.id)).toBe("");
  });
});

describe("block flags and metadata", () => {
  test("update sets flags and metadata in one delivery, one version for each kind of change, and skips unchanged values", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file" });
    const replica = new TestReplica(id);
    await replica.join(world);
    const ada = await authorOf(world, person("ada"));
    const wish = { collapsed: true, metadata: { title: "T" } };
    for (let time = 0; time < 2; time += 1) {
      expect(await world.hub.editor.update(ada, id, wish)).toEqual({ ok: true, value: { version: 3 } });
    }
    expect(replica.deliveries.map((changes) => changes.map(({ body }) => body.type))).toEqual([["flags", "metadata"]]);
    const later = await openWorld(openMemoryStore(world.store.image()));
    expect(accept(await later.hub.reader.read(id)).header).toMatchObject({ ...wish, excluded: false, version: 3 });
  });
});
