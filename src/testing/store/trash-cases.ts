import { describe, expect, test } from "vitest";
import type { TrashEntry } from "../../core/forest/trash-entry.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import {
  awaiting,
  blockId,
  documentId,
  node,
  nodeId,
  notice,
  person,
  put,
  root,
  rootId,
  run,
  trash,
  trashId,
} from "./records.ts";

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

  describe("a conversation in the trash", () => {
    const fresh = freshStore(open);
    const hide = { type: "trash-root", rootId: rootId("a"), at: 9 } as const;
    const show = { type: "restore-root", rootId: rootId("a") } as const;
    const fill = (): Promise<unknown> =>
      fresh.make(
        { type: "put-root", root: root("a", { configHash: "same" }) },
        { type: "put-root", root: root("b") },
        { type: "put-node", node: node("1") },
        { type: "put-node", node: node("2", { parentId: nodeId("1") }) },
        { type: "put-node", node: node("3", { rootId: rootId("b") }) },
        { type: "put-run", run: run("a", { headNodeId: nodeId("2") }), expectedEventSeq: null },
        { type: "append-feed", record: notice("a", 1) },
      );
    const found = async () => {
      const store = fresh.store();
      return {
        roots: (await store.roots()).map(({ id }) => id),
        root: (await store.root(rootId("a")))?.id ?? null,
        byHash: (await store.rootByConfigHash("same"))?.id ?? null,
        node: (await store.node(nodeId("1")))?.id ?? null,
        subtree: (await store.subtree(nodeId("1"))).map(({ id }) => id),
        outline: (await store.outline(null)).map(({ id }) => id),
        words: (await store.searchWords({ words: "hello", in: "messages", rootId: null, limit: 9 })).map(
          ({ id }) => id,
        ),
        trashed: (await store.trashedRoots()).map(({ id }) => id),
      };
    };

    test("K-76 it is found by no list, no look-up and no search, and restored as it was", async () => {
      await fill();
      const before = await found();
      expect(before.words.toSorted()).toEqual(["1", "2", "3"].map(nodeId));
      await fresh.make(hide);
      expect(await found()).toEqual({
        roots: [rootId("b")],
        root: null,
        byHash: null,
        node: null,
        subtree: [],
        outline: [nodeId("3")],
        words: [nodeId("3")],
        trashed: [rootId("a")],
      });
      expect(await fresh.store().nodes(rootId("a"))).toHaveLength(2);
      await fresh.make(show);
      expect(await found()).toEqual({ ...before, byHash: null });
      expect(await fresh.store().feedSeq(rootId("a"))).toBe(1);
      expect(await fresh.refused(show)).toEqual({ code: "CONFLICT", index: 0, stored: null });
    });

    test("its settings are free for another conversation", async () => {
      await fill();
      await fresh.make(hide, { type: "put-root", root: root("c", { configHash: "same" }) });
      expect((await found()).byHash).toBe(rootId("c"));
      await fresh.make(show);
      expect((await fresh.store().root(rootId("a")))?.configHash).toBeUndefined();
    });

    test("it is refused while a run works, and does nothing for one that does not exist", async () => {
      await fill();
      const busy = run("a", { headNodeId: nodeId("2"), state: awaiting, eventSeq: 1 });
      await fresh.make({ type: "put-run", run: busy, expectedEventSeq: 0 });
      expect(await fresh.refused(hide)).toEqual({ code: "CONFLICT", index: 0, stored: null });
      await fresh.make({ ...hide, rootId: rootId("none") });
    });

    test("K-79 a purge of it takes what is in the trash of it along", async () => {
      await fill();
      await fresh.make(
        { type: "delete-nodes", rootId: rootId("a"), ids: [nodeId("2")], at: 1 },
        { type: "put-trashed-nodes", trashId: trashId("b"), nodes: [node("2", { parentId: nodeId("1") })] },
        { type: "put-trash", entry: trash("b", { object: branch }) },
        hide,
        { type: "delete-root", rootId: rootId("a"), documentId: documentId("a"), at: 9 },
      );
      const store = fresh.store();
      expect([await store.trashedRoots(), await store.trashedNodes(trashId("b"))]).toEqual([[], []]);
      expect(await store.trashEntry(trashId("b"))).toBeNull();
      expect(await fresh.refused({ type: "put-root", root: root("a") })).toMatchObject({ code: "CONFLICT" });
    });
  });

  describe("messages in the trash", () => {
    const fresh = freshStore(open);
    const second = node("2", { parentId: nodeId("1"), tags: ["kept"] });

    test("K-76 they are kept as written, and their ids are used again only for a restoration", async () => {
      await fresh.make(
        { type: "put-root", root: root("a") },
        { type: "put-node", node: node("1") },
        { type: "put-node", node: second },
      );
      await fresh.make(
        { type: "delete-nodes", rootId: rootId("a"), ids: [nodeId("1"), nodeId("2")], at: 1 },
        { type: "put-trashed-nodes", trashId: trashId("b"), nodes: [node("1"), second] },
      );
      const store = fresh.store();
      expect(await store.trashedNodes(trashId("b"))).toEqual([node("1"), second]);
      expect(await store.trashedNodes(trashId("c"))).toEqual([]);
      expect(await store.node(nodeId("1"))).toBeNull();
      expect(await fresh.refused({ type: "put-node", node: node("1") })).toMatchObject({ code: "CONFLICT" });
      await fresh.make(
        { type: "drop-trashed-nodes", trashId: trashId("b"), restores: true },
        { type: "put-node", node: node("1") },
        { type: "put-node", node: second },
      );
      expect(await store.nodes(rootId("a"))).toEqual([node("1"), second]);
      expect(await store.trashedNodes(trashId("b"))).toEqual([]);
    });

    test("K-79 purged messages are gone, and their ids are never accepted again", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-node", node: node("1") });
      await fresh.make(
        { type: "delete-nodes", rootId: rootId("a"), ids: [nodeId("1")], at: 1 },
        { type: "put-trashed-nodes", trashId: trashId("b"), nodes: [node("1")] },
        { type: "drop-trashed-nodes", trashId: trashId("b"), restores: false },
      );
      expect(await fresh.store().trashedNodes(trashId("b"))).toEqual([]);
      expect(await fresh.refused({ type: "put-node", node: node("1") })).toMatchObject({ code: "CONFLICT" });
    });
  });
}

const branch = {
  type: "branch",
  rootId: rootId("a"),
  nodeId: nodeId("2"),
  parentId: nodeId("1"),
  messages: 1,
  bookmarks: [{ title: "t", rootId: rootId("a"), nodeId: nodeId("2"), createdAt: 1, updatedAt: 1 }],
} as const;
