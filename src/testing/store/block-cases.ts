import type { DraftRevision } from "../../core/block/canvas-revision.ts";
import type { DraftRevisionQuery } from "../../core/port/store.ts";
import type { TextChange } from "../../core/text/types.ts";
import { describe, expect, test } from "vitest";
import {
  actorId,
  replicaId,
  blockId,
  created,
  documentId,
  draftId,
  draftRevision,
  header,
  model,
  person,
  put,
  requestId,
  revision,
  root,
  system,
  turnId,
  typed,
} from "./records.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";

/** Blocks, their changes and snapshots; replicas and meta. */
export function describeBlocks(open: OpenStore): void {
  describe("blocks", () => {
    const fresh = freshStore(open);

    test("a block's header and changes are read as stored", async () => {
      const first = header("1", 1, { policy: "lease", kind: "file", collapsed: true });
      const bodies = [
        created(first),
        {
          type: "text",
          update: Uint8Array.from([0, 1, 255]),
          spans: [{ replica: replicaId(2_147_483_647), seq: 9, length: 4 }],
          unit: { id: "u1", turnId: turnId("1") },
          undoes: ["u0"],
          redoes: [],
          appended: "tail\n😀",
        },
        typed("u2"),
        { type: "status", status: "done" },
        { type: "policy", policy: "live" },
        { type: "metadata", metadata: { title: "T", deep: { a: [true, null] } } },
        { type: "flags", collapsed: true, excluded: false },
        { type: "deleted" },
      ] as const;
      const writes = bodies.map((body, index) => {
        const deleted = body.type === "deleted" ? { deletedAt: 9_000 } : {};
        return put("1", index + 1, { header: { ...first, version: index + 1, ...deleted }, change: { body } });
      });
      for (const write of writes) await fresh.make(write);
      const store = fresh.store();
      expect(await store.block(blockId("1"))).toEqual({ ...first, version: bodies.length, deletedAt: 9_000 });
      expect((await store.blocks(first.documentId)).map(({ deletedAt }) => deletedAt)).toEqual([9_000]);
      const changes = writes.map((write) => write.change);
      expect(await store.changes({ blockId: blockId("1"), afterVersion: 0 })).toEqual(changes);
      expect(await store.changes({ blockId: blockId("1"), afterVersion: 4 })).toEqual(changes.slice(4));
      expect(await store.changes({ blockId: blockId("1"), afterVersion: 99 })).toEqual([]);
      expect(await store.block(blockId("2"))).toBeNull();
    });

    test("14.10 a text change that starts its block stores the status with it", async () => {
      const pending = header("1", 1, { status: "pending" });
      await fresh.make(put("1", 1, { header: pending, change: { body: created(pending) } }));
      const body = { ...typed("u1"), starts: true } as const;
      await fresh.make(put("1", 2, { header: { ...pending, status: "running", version: 2 }, change: { body } }));
      expect(await fresh.store().block(blockId("1"))).toMatchObject({ status: "running", version: 2 });
      expect((await fresh.store().changes({ blockId: blockId("1"), afterVersion: 1 }))[0]?.body).toEqual(body);
    });

    test("bytes of a larger buffer are stored alone and unchanged", async () => {
      const buffer = Uint8Array.from({ length: 4_096 }, (_, index) => index % 251);
      const part = buffer.subarray(1_000, 1_003);
      const expected = part.slice();
      const commit = fresh.make(put("1", 1), put("1", 2, { change: { body: { ...typed("u"), update: part } } }), {
        type: "put-snapshot",
        snapshot: { blockId: blockId("1"), version: 2, bytes: part },
      });
      await commit;
      buffer.fill(0);
      const change = (await fresh.store().changes({ blockId: blockId("1"), afterVersion: 1 }))[0];
      expect(change?.body).toMatchObject({ update: expected });
      expect((await fresh.store().snapshot(blockId("1")))?.bytes).toEqual(expected);
    });

    test("only the version after the stored version is accepted", async () => {
      expect(await fresh.refused(put("1", 2))).toEqual({ code: "CONFLICT", index: 0, stored: null });
      await fresh.make(put("1", 1), put("1", 2));
      for (const version of [1, 2, 4]) {
        expect(await fresh.refused(put("1", version))).toEqual({ code: "CONFLICT", index: 0, stored: 2 });
      }
      await fresh.make(put("1", 3), put("1", 4));
      expect(await fresh.store().changes({ blockId: blockId("1"), afterVersion: 0 })).toHaveLength(4);
    });

    test("a block keeps its document and its kind", async () => {
      await fresh.make(put("1", 1));
      for (const header of [{ documentId: documentId("b") }, { kind: "file" }] as const) {
        await expect(fresh.store().commit([put("1", 2, { header })])).rejects.toThrow();
      }
      await fresh.make(put("1", 2));
    });

    test("a repeated request has no effect and returns the version that it made", async () => {
      await fresh.make(put("1", 1), put("2", 1));
      const request = { change: { requestId: requestId("r") } };
      await fresh.make(put("1", 2, request));
      await fresh.make(put("1", 3));
      for (const version of [2, 3, 4]) {
        const refused = await fresh.refused(put("1", version, request));
        expect(refused).toEqual({ code: "DUPLICATE_REQUEST", index: 0, version: 2 });
      }
      await fresh.make(put("2", 2, request));
      const store = fresh.store();
      expect((await store.block(blockId("1")))?.version).toBe(3);
      expect(await store.requestVersion(blockId("1"), requestId("r"))).toBe(2);
      expect(await store.requestVersion(blockId("1"), requestId("other"))).toBeNull();
      expect(await store.requestVersion(blockId("3"), requestId("r"))).toBeNull();
    });

    test("a request of a refused commit counts as not made", async () => {
      await fresh.make(put("1", 1));
      const request = { change: { requestId: requestId("r") } };
      expect(await fresh.refused(put("1", 2, request), put("1", 9))).toMatchObject({ code: "CONFLICT", index: 1 });
      expect(await fresh.store().requestVersion(blockId("1"), requestId("r"))).toBeNull();
      expect(await fresh.refused(put("1", 2, request), put("1", 3, request))).toMatchObject({
        code: "DUPLICATE_REQUEST",
        index: 1,
      });
      await fresh.make(put("1", 2, request));
    });

    test("documents list their blocks and the workspace its files, oldest first", async () => {
      const file = { kind: "file", documentId: documentId("b") } as const;
      await fresh.make(put("z", 1));
      await fresh.make(put("m", 1, { header: file }));
      await fresh.make(put("a", 1, { header: { parentId: blockId("z") } }));
      await fresh.make(put("b", 1, { header: { kind: "file" } }));
      await fresh.make(put("z", 2));
      const names = async (document: ReturnType<typeof documentId> | null) =>
        (await fresh.store().blocks(document)).map((each) => each.id);
      expect(await names(documentId("a"))).toEqual([blockId("z"), blockId("a"), blockId("b")]);
      expect(await names(documentId("b"))).toEqual([blockId("m")]);
      expect(await names(null)).toEqual([blockId("m"), blockId("b")]);
      expect(await names(documentId("none"))).toEqual([]);
    });

    test("a turn's changes are found in every block, in order", async () => {
      await fresh.make(put("1", 1), put("2", 1));
      const byModel = { change: { actor: model("7") } };
      const byUnit = {
        change: { actor: system, body: { ...typed("u", 1), unit: { id: "u", turnId: turnId("7") } } },
      };
      await fresh.make(put("2", 2, byModel));
      await fresh.make(put("1", 2, byModel));
      await fresh.make(put("1", 3, { change: { actor: model("8") } }));
      await fresh.make(put("2", 3, byUnit));
      const found = await fresh.store().changesOfTurn(turnId("7"));
      expect(found.map((change) => [change.blockId, change.version])).toEqual([
        [blockId("2"), 2],
        [blockId("1"), 2],
        [blockId("2"), 3],
      ]);
      expect(await fresh.store().changesOfTurn(turnId("9"))).toEqual([]);
    });

    test("the newest snapshot is kept", async () => {
      const snapshot = (version: number) =>
        ({
          type: "put-snapshot",
          snapshot: { blockId: blockId("1"), version, bytes: Uint8Array.of(version) },
        }) as const;
      await fresh.make(put("1", 1), put("1", 2));
      expect(await fresh.store().snapshot(blockId("1"))).toBeNull();
      await fresh.make(snapshot(2));
      await fresh.make(snapshot(1));
      expect(await fresh.store().snapshot(blockId("1"))).toEqual(snapshot(2).snapshot);
    });

    test("19.4 a snapshot whose memory is handed over is stored whole, also where it is part of a larger buffer", async () => {
      await fresh.make(put("1", 1));
      const whole = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
      const larger = new Uint8Array(whole.length + 10);
      larger.set(whole, 5);
      for (const [version, bytes] of [
        [2, whole.slice()],
        [3, larger.subarray(5, 5 + whole.length)],
        [4, new Uint8Array()],
      ] as const) {
        await fresh.make({
          type: "put-snapshot",
          snapshot: { blockId: blockId("1"), version, bytes },
          handsOver: true,
        });
        const stored = await fresh.store().snapshot(blockId("1"));
        expect(stored?.version).toBe(version);
        expect(Buffer.compare(stored?.bytes ?? whole.subarray(1), version === 4 ? new Uint8Array() : whole)).toBe(0);
      }
    });

    test("19.4 the bytes of a snapshot that is not handed over remain the caller's", async () => {
      await fresh.make(put("1", 1));
      const bytes = new Uint8Array(300_000).fill(7);
      await fresh.make({ type: "put-snapshot", snapshot: { blockId: blockId("1"), version: 2, bytes } });
      expect(Buffer.compare(bytes, new Uint8Array(300_000).fill(7))).toBe(0);
    });

    test("19.4 a long snapshot is stored whole, and replaced by longer, shorter and later ones alone", async () => {
      await fresh.make(put("1", 1));
      const kept: string[] = [];
      for (const [version, length] of [
        [2, 3_000_000],
        [3, 3_500_000],
        [1, 2_000_000],
        [4, 300],
        [4, 2_500_000],
      ] as const) {
        const bytes = Uint8Array.from({ length }, (_, index) => (index + version) % 251);
        await fresh.make({ type: "put-snapshot", snapshot: { blockId: blockId("1"), version, bytes } });
        const stored = await fresh.store().snapshot(blockId("1"));
        const whole = stored?.bytes.every((byte, index) => byte === (index + (stored?.version ?? 0)) % 251) === true;
        kept.push(`${stored?.version} ${stored?.bytes.length} ${whole ? "whole" : "torn"}`);
      }
      expect(kept).toEqual(["2 3000000 whole", "3 3500000 whole", "3 3500000 whole", "4 300 whole", "4 2500000 whole"]);
    });

    test("a snapshot needs its block", async () => {
      const snapshot = { blockId: blockId("1"), version: 1, bytes: new Uint8Array() };
      await expect(fresh.store().commit([{ type: "put-snapshot", snapshot }])).rejects.toThrow();
      const long = { ...snapshot, bytes: new Uint8Array(2_000_000) };
      await expect(fresh.store().commit([{ type: "put-snapshot", snapshot: long }])).rejects.toThrow();
    });
  });

  describe("revisions of a canvas", () => {
    const fresh = freshStore(open);
    const commit = (version: number, hash: string) =>
      ({ type: "put-revision", revision: revision(version, hash), text: `${hash}\u0000${version}` }) as const;
    const list = async (beforeVersion: number | null = null, limit = 10) => {
      const found = await fresh.store().revisions({ canvasId: blockId("1"), beforeVersion, limit });
      return found.map((each) => each.revisionId);
    };

    test("revisions are listed whole, newest first, page by page", async () => {
      await fresh.make(put("1", 1), put("2", 1));
      await fresh.make(commit(1, "a"), commit(4, "b"));
      await fresh.make(commit(9, "c"));
      await fresh.make({ type: "put-revision", revision: revision(1, "x", { canvasId: blockId("2") }), text: "x" });
      const all = await fresh.store().revisions({ canvasId: blockId("1"), beforeVersion: null, limit: 10 });
      expect(all).toEqual([revision(9, "c"), revision(4, "b"), revision(1, "a")]);
      expect(await list(null, 2)).toEqual(["9-c", "4-b"]);
      expect(await list(4, 2)).toEqual(["1-a"]);
      expect(await list(1)).toEqual([]);
      expect(await fresh.store().revisions({ canvasId: blockId("3"), beforeVersion: null, limit: 1 })).toEqual([]);
    });

    test("17.17 a revision that was stored without a message has none", async () => {
      const named = revision(3, "n", { nodeId: null });
      await fresh.make(put("1", 1), { type: "put-revision", revision: named, text: "named" });
      const all = await fresh.store().revisions({ canvasId: blockId("1"), beforeVersion: null, limit: 10 });
      expect(all).toEqual([named]);
    });

    test("revisions keep their text, whatever it contains, after the block's log is trimmed", async () => {
      await fresh.make(put("1", 1), put("1", 2), commit(1, "a"), commit(2, "b"));
      const text = (version: number) => fresh.store().revisionText(blockId("1"), version);
      const whole = (text: string) => ({ text, steps: 0, changed: 0 });
      expect([await text(1), await text(2), await text(3)]).toEqual([whole("a\u00001"), whole("b\u00002"), null]);
      expect(await fresh.store().revisionText(blockId("9"), 1)).toBeNull();
    });

    test("a revision stored as changes is read whole, through every one before it", async () => {
      await fresh.make(put("1", 1), put("2", 1));
      const changed = (version: number, from: number, changes: readonly TextChange[]) =>
        ({ type: "put-revision", revision: revision(version, `h${version}`), text: { from, changes } }) as const;
      const beyond: TextChange = { from: 5, to: 9, insert: "" };
      await fresh.make(
        { type: "put-revision", revision: revision(1, "h1"), text: "heather 😀\r\n" },
        changed(3, 1, [
          { from: 0, to: 1, insert: "H" },
          { from: 8, to: 10, insert: '\u0000\ud83d "quoted"' },
        ]),
        changed(4, 3, [{ from: 1, to: 7, insert: "" }]),
        changed(6, 1, [{ from: 7, to: 12, insert: "s" }]),
        changed(7, 5, [{ from: 0, to: 0, insert: "of a version that is not there" }]),
        changed(8, 4, [{ ...beyond, to: 900 }]),
      );
      const text = async (version: number) => {
        const read = await fresh.store().revisionText(blockId("1"), version);
        return read === null ? null : [read.text, read.steps];
      };
      expect(await text(1)).toEqual(["heather 😀\r\n", 0]);
      expect(await text(3)).toEqual(['Heather \u0000\ud83d "quoted"\r\n', 1]);
      expect(await text(4)).toEqual(['H \u0000\ud83d "quoted"\r\n', 2]);
      expect(await text(6)).toEqual(["heathers", 1]);
      expect([await text(7), await text(8)]).toEqual([null, null]);
    });

    test("C-24 committing the newest text or an older one again is refused", async () => {
      await fresh.make(put("1", 1));
      await fresh.make(commit(2, "a"));
      await fresh.make(commit(5, "a"), commit(2, "b"), commit(1, "b"));
      expect(await list()).toEqual(["2-a"]);
      await fresh.make(commit(6, "b"), commit(7, "a"), commit(7, "c"), commit(8, "a"));
      expect(await list()).toEqual(["7-a", "6-b", "2-a"]);
    });

    test("revisions are not stored with a refused commit, and reject without their canvas", async () => {
      await fresh.make(put("1", 1));
      expect(await fresh.refused(commit(2, "a"), put("1", 9))).toMatchObject({ code: "CONFLICT", index: 1 });
      expect(await list()).toEqual([]);
      const lost = revision(1, "a", { canvasId: blockId("lost") });
      await expect(fresh.store().commit([{ type: "put-revision", revision: lost, text: "" }])).rejects.toThrow();
    });
  });

  describe("kept texts of drafts", () => {
    const fresh = freshStore(open);
    const keep = (draftVersion: number, hash: string, rest: Partial<DraftRevision> = {}) =>
      ({ type: "put-draft-revision", revision: draftRevision(draftVersion, hash, rest), text: `of ${hash}` }) as const;
    const own = { canvasId: blockId("1"), draftId: draftId("a") };
    const list = async (rest: Partial<DraftRevisionQuery> = {}) => {
      const found = await fresh.store().draftRevisions({ ...own, beforeVersion: null, limit: 10, ...rest });
      return found.map((each) => each.revisionId);
    };

    test("K-38 each draft of each canvas has its own, newest first, page by page, beside the revisions", async () => {
      await fresh.make(put("1", 1), put("2", 1));
      await fresh.make({ type: "put-revision", revision: revision(1, "s"), text: "shared" });
      await fresh.make(keep(1, "x"), keep(2, "y", { nodeId: null }), keep(1, "x", { draftId: draftId("b") }));
      await fresh.make(keep(3, "z"), keep(1, "q", { canvasId: blockId("2") }));
      const all = await fresh.store().draftRevisions({ ...own, beforeVersion: null, limit: 10 });
      expect(all).toEqual([draftRevision(3, "z"), draftRevision(2, "y", { nodeId: null }), draftRevision(1, "x")]);
      expect(await list({ limit: 2 })).toEqual(["7d3-z", "7d2-y"]);
      expect(await list({ beforeVersion: 2 })).toEqual(["7d1-x"]);
      expect(await list({ draftId: draftId("b") })).toEqual(["7d1-x"]);
      expect(await list({ canvasId: blockId("2") })).toEqual(["7d1-q"]);
      expect(await list({ draftId: draftId("c") })).toEqual([]);
      const shared = await fresh.store().revisions({ canvasId: blockId("1"), beforeVersion: null, limit: 10 });
      expect(shared).toEqual([revision(1, "s")]);
    });

    test("K-38 the text that a draft has already is not kept again, and an earlier one may be", async () => {
      await fresh.make(put("1", 1));
      await fresh.make(keep(1, "x"), keep(2, "x"), keep(2, "y"), keep(2, "z"), keep(3, "x"), keep(1, "q"));
      expect(await list()).toEqual(["7d3-x", "7d2-y", "7d1-x"]);
    });

    test("a text of a draft is read by its id, also where it is stored as changes of the one before", async () => {
      await fresh.make(put("1", 1));
      const text = { from: 1, changes: [{ from: 3, to: 4, insert: "\u0000😀" }] };
      const other = { draftId: draftId("b") };
      await fresh.make(keep(1, "x"), keep(1, "w", other), { ...keep(2, "y"), text }, { ...keep(2, "v", other), text });
      const read = async (id: string) => (await fresh.store().draftRevisionText(blockId("1"), id))?.text ?? null;
      expect([await read("7d1-x"), await read("7d2-y")]).toEqual(["of x", "of \u0000😀"]);
      expect([await read("7d2-v"), await read("7d3-y")]).toEqual(["of \u0000😀", null]);
      expect(await fresh.store().draftRevisionText(blockId("2"), "7d1-x")).toBeNull();
    });

    test("the texts of one draft are deleted alone, and all of them with a purged canvas", async () => {
      await fresh.make(
        put("1", 1, { header: { kind: "file" } }),
        keep(1, "x"),
        keep(1, "y", { draftId: draftId("b") }),
      );
      await fresh.make({ type: "delete-draft-revisions", ...own });
      expect([await list(), await list({ draftId: draftId("b") })]).toEqual([[], ["7d1-y"]]);
      expect(await fresh.store().draftRevisionText(blockId("1"), "7d1-x")).toBeNull();
      await fresh.make(put("1", 2, { header: { kind: "file", deletedAt: 1 }, change: { body: { type: "deleted" } } }));
      await fresh.make({ type: "purge-block", blockId: blockId("1"), version: 2 });
      expect(await list({ draftId: draftId("b") })).toEqual([]);
    });

    test("they are not stored with a refused commit, and reject without their canvas", async () => {
      await fresh.make(put("1", 1));
      expect(await fresh.refused(keep(1, "x"), put("1", 9))).toMatchObject({ code: "CONFLICT", index: 1 });
      expect(await list()).toEqual([]);
      await expect(fresh.store().commit([keep(1, "x", { canvasId: blockId("lost") })])).rejects.toThrow();
    });
  });

  describe("replicas and meta", () => {
    const fresh = freshStore(open);

    test("a replica's number belongs to one actor for ever", async () => {
      const replica = (number: number, actor = person) =>
        ({ type: "put-replica", replica: { replica: replicaId(number), actor, createdAt: 1 } }) as const;
      await fresh.make(replica(2), replica(1, system));
      expect(await fresh.refused(replica(2, system))).toEqual({ code: "CONFLICT", index: 0, stored: 2 });
      const renamed = replica(2, { type: "person", id: actorId("ada"), name: "Ada L." });
      await fresh.make(renamed);
      expect(await fresh.store().replicas()).toEqual([replica(1, system).replica, renamed.replica]);
    });

    test("meta keeps the last value of a key", async () => {
      expect(await fresh.store().meta("k")).toBeNull();
      await fresh.make({ type: "put-meta", key: "k", value: { a: 1 } });
      await fresh.make({ type: "put-meta", key: "k", value: { b: [null] } });
      expect(await fresh.store().meta("k")).toEqual({ b: [null] });
    });
  });

  describe("a commit", () => {
    const fresh = freshStore(open);

    test("a commit that is refused in the middle leaves nothing, whatever its earlier writes", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, put("1", 1));
      const refused = await fresh.refused(
        { type: "put-root", root: root("b") },
        put("1", 2, { change: { requestId: requestId("r") } }),
        put("2", 1),
        { type: "put-snapshot", snapshot: { blockId: blockId("1"), version: 2, bytes: Uint8Array.of(1) } },
        { type: "put-meta", key: "k", value: {} },
        { type: "put-replica", replica: { replica: replicaId(1), actor: person, createdAt: 1 } },
        { type: "preempt-lease", canvasId: blockId("1"), epoch: 9 },
        put("2", 7),
        put("3", 1),
      );
      expect(refused).toEqual({ code: "CONFLICT", index: 7, stored: 1 });
      const store = fresh.store();
      expect(await store.roots()).toEqual([root("a")]);
      expect(await store.block(blockId("1"))).toEqual(header("1", 1));
      expect(await store.changes({ blockId: blockId("1"), afterVersion: 0 })).toHaveLength(1);
      expect(await store.requestVersion(blockId("1"), requestId("r"))).toBeNull();
      expect(await store.block(blockId("2"))).toBeNull();
      expect(await store.block(blockId("3"))).toBeNull();
      expect(await store.snapshot(blockId("1"))).toBeNull();
      expect(await store.meta("k")).toBeNull();
      expect(await store.replicas()).toEqual([]);
      expect(await store.leases()).toEqual([]);
    });

    test("a commit without writes succeeds", async () => {
      await fresh.make();
    });

    test("a commit sees its own earlier writes", async () => {
      await fresh.make(put("1", 1), put("1", 2), put("1", 3));
      expect((await fresh.store().block(blockId("1")))?.version).toBe(3);
    });

    test("each of fifty concurrent commits is judged by itself, in request order", async () => {
      const commits = Array.from({ length: 50 }, (_, index) => {
        const name = String(Math.floor(index / 5));
        // Of each five commits, the third skips a version and is refused; the others build on each other.
        const version = index % 5 === 2 ? 99 : index % 5 < 2 ? (index % 5) + 1 : index % 5;
        return fresh.store().commit([put(name, version)]);
      });
      const results = await Promise.all(commits);
      expect(results.map((result) => (result.ok ? "made" : result.error.code))).toEqual(
        results.map((_, index) => (index % 5 === 2 ? "CONFLICT" : "made")),
      );
      expect(results[2]).toEqual({ ok: false, error: { code: "CONFLICT", index: 0, stored: 2 } });
      for (let name = 0; name < 10; name += 1) {
        expect((await fresh.store().block(blockId(String(name))))?.version).toBe(4);
      }
    });

    test("a commit that breaks a rule rejects alone, and its neighbours succeed", async () => {
      const bad = {
        type: "put-snapshot",
        snapshot: { blockId: blockId("none"), version: 1, bytes: new Uint8Array() },
      } as const;
      const results = await Promise.allSettled([
        fresh.store().commit([put("1", 1)]),
        fresh.store().commit([put("2", 1), bad]),
        fresh.store().commit([put("3", 1)]),
      ]);
      expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await fresh.store().block(blockId("2"))).toBeNull();
      expect((await fresh.store().block(blockId("3")))?.version).toBe(1);
    });

    test("a commit is visible to every read requested after it resolved", async () => {
      await fresh.make(put("1", 1));
      for (let version = 2; version < 40; version += 1) {
        await fresh.make(put("1", version));
        expect((await fresh.store().block(blockId("1")))?.version).toBe(version);
      }
    });
  });
}
