import { describe, expect, test } from "vitest";
import type { StoreWrite } from "../../core/port/store.ts";
import { blockId, documentId, header, model, put, requestId, revision, turnId, typed } from "./records.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { suggestion } from "./suggestion-cases.ts";

/** Logs whose oldest changes are trimmed, and blocks of which only the place is kept. */
export function describeLogs(open: OpenStore): void {
  const snapshot = (name: string, version: number): StoreWrite => ({
    type: "put-snapshot",
    snapshot: { blockId: blockId(name), version, bytes: Uint8Array.of(version) },
  });
  const trim = (name: string, beforeVersion: number, note = `before ${beforeVersion}`) =>
    ({ type: "trim-changes", blockId: blockId(name), beforeVersion, state: { note, deep: [null, 1] } }) as const;
  const versions = (name: string, count: number): readonly StoreWrite[] =>
    Array.from({ length: count }, (_, index) => put(name, index + 1, { change: request(name, index + 1) }));
  const request = (name: string, version: number) => ({ requestId: requestId(`${name}-${version}`) });

  describe("a trimmed log", () => {
    const fresh = freshStore(open);
    const kept = async (name: string, afterVersion = 0) =>
      (await fresh.store().changes({ blockId: blockId(name), afterVersion })).map(({ version }) => version);

    test("a trimmed log begins at the requested version and keeps the state before it", async () => {
      await fresh.make(...versions("1", 6), ...versions("2", 3), snapshot("1", 5));
      expect(await fresh.store().logStart(blockId("1"))).toBeNull();
      await fresh.make(trim("1", 4));
      expect(await kept("1")).toEqual([4, 5, 6]);
      expect([await kept("1", 2), await kept("1", 3)]).toEqual([
        [4, 5, 6],
        [4, 5, 6],
      ]);
      expect([await kept("1", 4), await kept("1", 6), await kept("1", 9)]).toEqual([[5, 6], [], []]);
      expect(await kept("2")).toEqual([1, 2, 3]);
      const { type: _, ...start } = trim("1", 4);
      expect(await fresh.store().logStart(blockId("1"))).toEqual(start);
      expect(await fresh.store().logStart(blockId("2"))).toBeNull();
      await fresh.make(put("1", 7));
      expect(await kept("1", 5)).toEqual([6, 7]);
      expect(await fresh.store().block(blockId("1"))).toEqual(header("1", 7));
    });

    test("a log may be empty and grow again", async () => {
      await fresh.make(...versions("1", 3), snapshot("1", 3));
      await fresh.make(trim("1", 3));
      expect(await kept("1")).toEqual([3]);
      await fresh.make(put("1", 4), snapshot("1", 4), trim("1", 4), put("1", 5));
      expect(await kept("1")).toEqual([4, 5]);
    });

    test("trimming is refused before a snapshot covers the trimmed changes", async () => {
      await fresh.make(...versions("1", 4));
      expect(await fresh.refused(trim("1", 2))).toEqual({ code: "CONFLICT", index: 0, stored: null });
      await fresh.make(snapshot("1", 3));
      expect(await fresh.refused(put("1", 5), trim("1", 4))).toEqual({ code: "CONFLICT", index: 1, stored: 3 });
      expect(await fresh.refused(trim("none", 1))).toEqual({ code: "CONFLICT", index: 0, stored: null });
      expect(await kept("1")).toEqual([1, 2, 3, 4]);
      expect(await fresh.store().logStart(blockId("1"))).toBeNull();
      await fresh.make(snapshot("1", 4), trim("1", 4));
      expect(await kept("1")).toEqual([4]);
    });

    test("a trimmed log never begins earlier again", async () => {
      await fresh.make(...versions("1", 5), snapshot("1", 5), trim("1", 4));
      await fresh.make(trim("1", 2), trim("1", 4, "another"));
      expect((await fresh.store().logStart(blockId("1")))?.state["note"]).toBe("before 4");
      await fresh.make(trim("1", 5));
      expect(await kept("1")).toEqual([5]);
    });

    test("a trimmed log forgets the requests of the trimmed changes, and only those", async () => {
      await fresh.make(...versions("1", 5), snapshot("1", 5), trim("1", 4));
      const made = (version: number) => fresh.store().requestVersion(blockId("1"), requestId(`1-${version}`));
      expect([await made(3), await made(4), await made(5)]).toEqual([null, 4, 5]);
      await fresh.make(put("1", 6, { change: request("1", 3) }));
      expect(await made(3)).toBe(6);
      expect(await fresh.refused(put("1", 7, { change: request("1", 4) }))).toMatchObject({ version: 4 });
    });

    test("19.12 a trimmed log still reports the turns of the trimmed changes of files, and of nothing else", async () => {
      const unit = { ...typed("u", 1), unit: { id: "u", turnId: turnId("9") } };
      for (const name of ["2", "1", "reply"]) {
        const of = name === "reply" ? {} : { header: { kind: "file" } as const };
        const by = { ...of, change: { actor: model("7") } };
        await fresh.make(put(name, 1, of));
        await fresh.make(put(name, 2, by), put(name, 3, { ...of, change: { body: unit } }));
        await fresh.make(put(name, 4, by), snapshot(name, 4));
      }
      await fresh.make(trim("reply", 4));
      const trimmed = async (turn: string) => fresh.store().trimmedOfTurn(turnId(turn));
      expect(await trimmed("7")).toEqual([]);
      await fresh.make(trim("1", 3));
      expect([await trimmed("7"), await trimmed("9")]).toEqual([[blockId("1")], []]);
      expect(
        (await fresh.store().changesOfTurn(turnId("7"))).map((change) => [change.blockId, change.version]),
      ).toEqual([
        [blockId("2"), 2],
        [blockId("2"), 4],
        [blockId("1"), 4],
        [blockId("reply"), 4],
      ]);
      await fresh.make(trim("2", 4), trim("1", 4));
      expect([await trimmed("7"), await trimmed("9")]).toEqual([
        [blockId("2"), blockId("1")],
        [blockId("2"), blockId("1")],
      ]);
      expect(await trimmed("8")).toEqual([]);
    });

    test("a log stays whole when the commit that trims is refused later", async () => {
      await fresh.make(...versions("1", 4), snapshot("1", 4));
      expect(await fresh.refused(trim("1", 4), put("1", 9))).toMatchObject({ code: "CONFLICT", index: 1 });
      expect(await kept("1")).toEqual([1, 2, 3, 4]);
      expect(await fresh.store().logStart(blockId("1"))).toBeNull();
      expect(await fresh.store().requestVersion(blockId("1"), requestId("1-2"))).toBe(2);
    });
  });

  describe("a purged block", () => {
    const fresh = freshStore(open);
    const file = { header: { kind: "file", documentId: documentId("b") } } as const;
    const deleted = { header: { ...file.header, deletedAt: 8_000 }, change: { body: { type: "deleted" } } } as const;
    const purge = (name: string, version: number) =>
      ({ type: "purge-block", blockId: blockId(name), version }) as const;

    test("a purged block keeps its place and its last change, and nothing else", async () => {
      await fresh.make(put("1", 1, file), put("1", 2, { ...file, change: { ...request("1", 2), actor: model("7") } }));
      await fresh.make(put("1", 3, file), put("2", 1, file), snapshot("1", 3), trim("1", 3));
      await fresh.make({ type: "put-block-words", blockId: blockId("1"), version: 3, text: "heather" });
      await fresh.make(put("1", 4, deleted));
      const before = await fresh.store().changes({ blockId: blockId("1"), afterVersion: 3 });
      await fresh.make(purge("1", 4));
      const store = fresh.store();
      expect(await store.block(blockId("1"))).toEqual(header("1", 4, deleted.header));
      expect((await store.blocks(null)).map(({ id }) => id)).toEqual([blockId("1"), blockId("2")]);
      expect(await store.changes({ blockId: blockId("1"), afterVersion: 0 })).toEqual(before);
      expect(await store.snapshot(blockId("1"))).toBeNull();
      expect(await store.logStart(blockId("1"))).toBeNull();
      expect(await store.requestVersion(blockId("1"), requestId("1-2"))).toBeNull();
      expect(await store.trimmedOfTurn(turnId("7"))).toEqual([]);
      expect(await store.searchWords({ words: "heather", in: "blocks", rootId: null, limit: 9 })).toEqual([]);
      expect(await store.filesWithoutWords()).toEqual([blockId("2")]);
      expect(await fresh.refused(put("1", 1, file))).toEqual({ code: "CONFLICT", index: 0, stored: 4 });
      await fresh.make(purge("1", 4));
      expect(await store.changes({ blockId: blockId("1"), afterVersion: 0 })).toEqual(before);
    });

    test("a block may be deleted and purged in the same commit", async () => {
      await fresh.make(put("1", 1, file), put("1", 2, file));
      await fresh.make(put("1", 3, deleted), purge("1", 3));
      expect(await fresh.store().block(blockId("1"))).toEqual(header("1", 3, deleted.header));
      expect(await fresh.store().changes({ blockId: blockId("1"), afterVersion: 0 })).toHaveLength(1);
    });

    test("a purged block must be deleted at the version that the purge names", async () => {
      await fresh.make(put("1", 1, file), put("1", 2, file));
      expect(await fresh.refused(purge("1", 2))).toEqual({ code: "CONFLICT", index: 0, stored: null });
      await fresh.make(put("1", 3, deleted));
      expect(await fresh.refused(purge("1", 2))).toEqual({ code: "CONFLICT", index: 0, stored: 3 });
      expect(await fresh.refused(purge("none", 1))).toEqual({ code: "CONFLICT", index: 0, stored: null });
      expect(await fresh.store().changes({ blockId: blockId("1"), afterVersion: 0 })).toHaveLength(3);
    });

    test("K-79 a purged canvas keeps its place and its deletion, without revisions and suggestions", async () => {
      const canvas = { header: { ...file.header, policy: "live" } } as const;
      await fresh.make(put("1", 1, canvas), { type: "put-revision", revision: revision(1, "a"), text: "heather" });
      await fresh.make({ type: "put-suggestion", suggestion: suggestion("a") });
      await fresh.make(put("1", 2, { ...deleted, header: { ...deleted.header, policy: "live" } }), purge("1", 2));
      const store = fresh.store();
      expect(await store.revisions({ canvasId: blockId("1"), beforeVersion: null, limit: 9 })).toEqual([]);
      expect(await store.revisionText(blockId("1"), 1)).toBeNull();
      expect(await store.suggestions(blockId("1"), true)).toEqual([]);
      expect(await store.changes({ blockId: blockId("1"), afterVersion: 0 })).toHaveLength(1);
      expect(await fresh.refused(put("1", 1, canvas))).toEqual({ code: "CONFLICT", index: 0, stored: 2 });
    });
  });
}
