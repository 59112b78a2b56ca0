import { describe, expect, test } from "vitest";
import type { TrashEntry } from "../../core/forest/trash-entry.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { blockId, person, put, trash, trashId } from "./records.ts";

/** The trash: entries about objects that were deleted. */
export function describeTrash(open: OpenStore): void {
  describe("the trash", () => {
    const fresh = freshStore(open);
    const putEntry = (entry: TrashEntry) => ({ type: "put-trash", entry }) as const;
    const take = (name: string) => ({ type: "delete-trash", id: trashId(name) }) as const;

    test("an entry is read as written, by its id and by its object", async () => {
      const block = trash("b", { object: { type: "block", blockId: blockId("9") }, by: person, purgeAt: null });
      await fresh.make(putEntry(trash("a")), putEntry(block));
      const store = fresh.store();
      expect(await store.trashEntry(trashId("a"))).toEqual(trash("a"));
      expect(await store.trashed(blockId("9"))).toEqual(block);
      expect([await store.trashEntry(trashId("c")), await store.trashed(blockId("b"))]).toEqual([null, null]);
    });

    test("entries are listed newest first, page by page", async () => {
      await fresh.make(...["b", "d", "a", "c"].map((name) => putEntry(trash(name))));
      const ids = async (before: string | null, limit: number) =>
        (await fresh.store().trash({ before: before === null ? null : trashId(before), limit })).map(({ id }) => id);
      expect(await ids(null, 9)).toEqual(["d", "c", "b", "a"].map(trashId));
      expect(await ids(null, 2)).toEqual(["d", "c"].map(trashId));
      expect(await ids("c", 2)).toEqual(["b", "a"].map(trashId));
    });

    test("entries are due from their time on, those that were due first before the others", async () => {
      await fresh.make(
        putEntry(trash("a", { purgeAt: 30 })),
        putEntry(trash("b", { purgeAt: 20 })),
        putEntry(trash("c", { purgeAt: null })),
        putEntry(trash("d", { purgeAt: 20 })),
      );
      const due = async (at: number, limit = 9) => (await fresh.store().dueTrash(at, limit)).map(({ id }) => id);
      expect(await due(19)).toEqual([]);
      expect(await due(20)).toEqual(["b", "d"].map(trashId));
      expect(await due(30, 2)).toEqual(["b", "d"].map(trashId));
      expect(await due(1_000)).toEqual(["b", "d", "a"].map(trashId));
    });

    test("an object is in the trash once, and an entry keeps its object", async () => {
      await fresh.make(putEntry(trash("a")));
      const second = putEntry(trash("b", { object: trash("a").object }));
      expect(await fresh.refused(put("1", 1), second)).toEqual({ code: "CONFLICT", index: 1, stored: null });
      expect(await fresh.store().block(blockId("1"))).toBeNull();
      await fresh.make(putEntry(trash("a", { purgeAt: null })));
      expect(await fresh.store().trashed(blockId("a"))).toEqual(trash("a", { purgeAt: null }));
      const other = putEntry(trash("a", { object: { type: "canvas", blockId: blockId("z") } }));
      expect(await fresh.refused(other)).toEqual({ code: "CONFLICT", index: 0, stored: null });
      expect(await fresh.store().trashed(blockId("z"))).toBeNull();
    });

    test("an entry is taken out once, and its object may come again", async () => {
      await fresh.make(putEntry(trash("a")), take("a"));
      expect(await fresh.store().trashed(blockId("a"))).toBeNull();
      expect(await fresh.refused(put("1", 1), take("a"))).toEqual({ code: "CONFLICT", index: 1, stored: null });
      await fresh.make(putEntry(trash("b", { object: trash("a").object })));
      expect((await fresh.store().trashed(blockId("a")))?.id).toBe(trashId("b"));
    });
  });
}
