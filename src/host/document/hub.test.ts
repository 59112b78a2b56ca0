import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { BlockId, DocumentId, LeaseId, RunId } from "../../core/base/ids.ts";
import { hubLimits } from "./record/limits.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import {
  atRest,
  authorOf,
  createBlock,
  insertion,
  model,
  openHeldWorld,
  openWorld,
  person,
  requestId,
  TestReplica,
  textOf,
  type World,
} from "./world.test-support.ts";

describe("versions", () => {
  test("B-26 the version rises by one with each accepted mutation, also after a restart, and not with refused or empty ones", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file", status: "done" });
    const author = await authorOf(world, person("ada"));
    expect(accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, "a")] })).version).toBe(2);
    expect(codeOf(await world.hub.editor.edit(author, id, { changes: [insertion(9, "b")] }))).not.toBe("ok");
    expect(accept(await world.hub.editor.edit(author, id, { changes: [] })).version).toBe(2);
    expect(accept(await world.hub.editor.setPolicy(author, id, "lease")).version).toBe(3);
    expect(accept(await world.hub.editor.setPolicy(author, id, "lease")).version).toBe(3);
    const later = await openWorld(openMemoryStore(world.store.image()));
    const again = await authorOf(later, person("ada"));
    expect(again.replica).toBe(author.replica);
    expect(accept(await later.hub.editor.edit(again, id, { changes: [insertion(1, "c")] }))).toMatchObject({
      version: 4,
      text: "ac",
    });
  });

  test("a repeated request returns its version and has no second effect", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file" });
    const author = await authorOf(world, person("ada"));
    const replica = new TestReplica(id);
    await replica.join(world);
    const request = requestId();
    const update = replica.edit(author.replica, [insertion(0, "once")]);
    const first = accept(await world.hub.editor.push(author, id, update, request));
    await world.hub.editor.edit(await authorOf(world, model("run")), id, { changes: [insertion(0, "> ")] });
    expect(accept(await world.hub.editor.push(author, id, update, request))).toMatchObject({ version: first.version });
    expect(await textOf(world, id)).toBe("> once");
  });

  test("one push sent twice at once takes effect once", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file" });
    const author = await authorOf(world, person("ada"));
    const replica = new TestReplica(id);
    await replica.join(world);
    const request = requestId();
    const update = replica.edit(author.replica, [insertion(0, "x")]);
    const answers = await Promise.all([
      world.hub.editor.push(author, id, update, request),
      world.hub.editor.push(author, id, update, request),
      world.hub.editor.edit(author, id, { changes: [insertion(0, "y")] }),
    ]);
    expect(answers.map((answer) => accept(answer).version)).toEqual([2, 2, 3]);
    expect(await textOf(world, id)).toBe("yx");
  });

  test("further writes are stored in the change's transaction, and not requested when nothing changes", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file" });
    const author = await authorOf(world, person("ada"));
    const also = (version: number) => [{ type: "put-meta", key: "made", value: { version } } as const];
    accept(await world.hub.editor.edit(author, id, { changes: [] }, { also }));
    expect(await world.store.meta("made")).toBeNull();
    accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, "x")] }, { also }));
    expect(await world.store.meta("made")).toEqual({ version: 2 });
    accept(await world.hub.history.undo(author, id, { also }));
    expect(await world.store.meta("made")).toEqual({ version: 3 });
    // A refused commit stores neither.
    const claim = { canvasId: id, leaseId: "none" as LeaseId, holder: "none" as RunId, epoch: 1, monotonicMs: 0 };
    const guards = [{ type: "guard-lease", ...claim }] as const;
    expect(
      codeOf(await world.hub.editor.edit(author, id, { changes: [insertion(0, "y")] }, { also, guards })),
    ).not.toBe("ok");
    expect(await world.store.meta("made")).toEqual({ version: 3 });
    accept(await world.hub.deletion.delete(author, id, { also }));
    expect(await world.store.meta("made")).toEqual({ version: 4 });
  });

  test("readAt returns the text at every version, in memory or not", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file", text: "0" });
    const author = await authorOf(world, person("ada"));
    for (const digit of "123456") await world.hub.editor.edit(author, id, { changes: [insertion(0, digit)] });
    const expected = ["0", "10", "210", "3210", "43210", "543210", "6543210"];
    const later = await openWorld(openMemoryStore(world.store.image()));
    for (const at of [world, later]) {
      for (const [index, text] of expected.entries()) {
        expect(accept(await at.hub.reader.readAt(id, index + 1)).text).toBe(text);
      }
      expect(codeOf(await at.hub.reader.readAt(id, 8))).toBe("VERSION_UNKNOWN");
      expect(codeOf(await at.hub.reader.readAt(id, 0))).toBe("VERSION_UNKNOWN");
    }
  });

  test("an edit planned on an earlier version merges with later changes", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file", text: "one\ntwo\n" });
    const base = accept(await world.hub.reader.read(id));
    await world.hub.editor.edit(await authorOf(world, person("ada")), id, { changes: [insertion(0, "zero\n")] });
    const author = await authorOf(world, model("run"));
    const plan = { changes: [{ from: 4, to: 7, insert: "TWO" }], at: base.textVersion };
    expect(accept(await world.hub.editor.edit(author, id, plan)).text).toBe("zero\none\nTWO\n");
  });
});

describe("feed", () => {
  test("B-27 the effect on the text, not the call, decides whether a change is sent as an append", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file", text: "abc" });
    const author = await authorOf(world, model("run"));
    const replica = new TestReplica(id);
    await replica.join(world);
    await world.hub.editor.append(author, id, "d\n");
    await world.hub.editor.edit(author, id, { changes: [insertion(5, "e")] });
    await world.hub.editor.edit(author, id, { changes: [{ from: 1, to: 2, insert: "B" }] });
    await world.hub.editor.edit(author, id, { changes: [{ from: 0, to: 6, insert: "aBcd\nef" }] });
    await world.hub.editor.edit(author, id, { changes: [{ from: 5, to: 7, insert: "xyz" }] });
    await world.hub.editor.edit(author, id, { changes: [insertion(0, "-")] });
    const appended = replica.deliveries
      .flat()
      .map(({ body }) => (body.type === "text" ? (body.appended ?? null) : body.type));
    expect(appended).toEqual(["d\n", "e", null, "f", null, null]);
  });

  test("B-28 a watcher that joins between changes receives each change once", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file" });
    const author = await authorOf(world, model("run"));
    const replicas = Array.from({ length: 12 }, () => new TestReplica(id));
    const joined: Promise<void>[] = [];
    for (const [index, replica] of replicas.entries()) {
      void world.hub.editor.edit(author, id, { changes: [insertion(0, String(index % 10))] });
      joined.push(replica.join(world));
      if (index % 3 === 0) await atRest();
    }
    await Promise.all(joined);
    for (const replica of replicas) expect(replica.text()).toBe(await textOf(world, id));
  });

  test("B-28 a reconnecting watcher receives the changes it missed, or a snapshot when its version is unknown", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file" });
    const author = await authorOf(world, model("run"));
    const replica = new TestReplica(id);
    await replica.join(world);
    replica.leave();
    for (const text of ["a", "b", "c"]) await world.hub.editor.edit(author, id, { changes: [insertion(0, text)] });
    await replica.join(world);
    expect(replica.deliveries.map((changes) => changes.length)).toEqual([3]);
    expect(replica.text()).toBe("cba");
    replica.leave();
    replica.version = 99;
    await replica.join(world);
    expect(replica.version).toBe(4);
  });

  test("a document watcher receives every change of its blocks and no others", async () => {
    const world = await openWorld();
    const seen: string[] = [];
    const stop = world.hub.feeds.watchDocument("doc" as DocumentId, (changes) => {
      for (const change of changes) seen.push(`${change.blockId} ${change.body.type}`);
    });
    const first = await createBlock(world);
    await createBlock(world, { document: "other" });
    const second = await createBlock(world);
    await world.hub.editor.setStatus(await authorOf(world, model("run")), first.id, "done");
    expect(seen).toEqual([`${first.id} created`, `${second.id} created`, `${first.id} status`]);
    stop();
    await createBlock(world);
    expect(seen).toHaveLength(3);
  });

  test("a change is broadcast and acknowledged only after it is on disk", async () => {
    const { world, hold, release } = await openHeldWorld();
    const { id } = await createBlock(world, { kind: "file" });
    const author = await authorOf(world, model("run"));
    const replica = new TestReplica(id);
    await replica.join(world);
    hold();
    let acknowledged = false;
    void world.hub.editor.edit(author, id, { changes: [insertion(0, "a")] }).then(() => {
      acknowledged = true;
    });
    await atRest();
    expect([acknowledged, replica.deliveries.length, (await world.store.block(id))?.version]).toEqual([false, 0, 1]);
    await release();
    expect([acknowledged, replica.deliveries.length]).toEqual([true, 1]);
  });

  test("mutations that wait together share a commit", async () => {
    let commits = 0;
    const store = openMemoryStore(undefined, {
      fault: () => {
        commits += 1;
        return null;
      },
    });
    const world = await openWorld(store);
    const { id } = await createBlock(world, { kind: "file" });
    const author = await authorOf(world, model("run"));
    commits = 0;
    const edits = Array.from({ length: 50 }, () => world.hub.editor.edit(author, id, { changes: [insertion(0, "x")] }));
    await Promise.all(edits);
    expect(commits).toBe(1);
    expect(await textOf(world, id)).toHaveLength(50);
  });
});

describe("a refused commit", () => {
  test("a refused commit rolls the block back to the stored state", async () => {
    let failing = false;
    const store = openMemoryStore(undefined, { fault: () => (failing ? "STORE_FAILED" : null) });
    const world = await openWorld(store);
    const { id } = await createBlock(world, { kind: "file", text: "safe" });
    const author = await authorOf(world, person("ada"));
    const replica = new TestReplica(id);
    await replica.join(world);
    failing = true;
    const answers = await Promise.all([
      world.hub.editor.edit(author, id, { changes: [insertion(0, "1")] }),
      world.hub.editor.edit(author, id, { changes: [insertion(0, "2")] }),
      world.hub.editor.setPolicy(author, id, "lease"),
    ]);
    expect(answers.map(codeOf)).toEqual(["STORE_FAILED", "STORE_FAILED", "STORE_FAILED"]);
    failing = false;
    expect(accept(await world.hub.reader.read(id))).toMatchObject({ text: "safe", header: { version: 1 } });
    await world.hub.editor.edit(author, id, { changes: [insertion(4, "!")] });
    expect(replica.text()).toBe("safe!");
  });

  test("a plan that throws does not fail other mutations of its commit", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file" });
    const author = await authorOf(world, person("ada"));
    const [first, bug, last] = await Promise.allSettled([
      world.hub.editor.edit(author, id, { changes: [insertion(0, "a")] }),
      world.hub.editor.editWith(author, id, () => {
        throw new Error("a bug");
      }),
      world.hub.editor.edit(author, id, { changes: [insertion(0, "b")] }),
    ]);
    expect([first.status, bug.status, last.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await textOf(world, id)).toBe("ba");
  });
});

describe("a store that throws", () => {
  async function throwsOnce(world: World, ask: () => Promise<unknown>): Promise<void> {
    const whole = world.store.commit.bind(world.store);
    world.store.commit = () => Promise.reject(new Error("away"));
    await expect(ask()).rejects.toThrow("away");
    world.store.commit = whole;
  }

  test("a document stays usable after the store throws during a flush of streamed text", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const [run, ada] = [await authorOf(world, model("run")), await authorOf(world, person("ada"))];
    accept(await world.hub.editor.edit(ada, id, { changes: [insertion(0, "typed ")] }));
    accept(await world.hub.editor.append(run, id, "streamed"));
    await throwsOnce(world, () => world.hub.history.undo(ada, id));
    accept(await world.hub.history.undo(ada, id));
    expect(await textOf(world, id)).toBe("streamed");
  });

  test("a store error caused by one edit does not refuse the other edits of its commit", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const [ada, mal] = [await authorOf(world, person("ada")), await authorOf(world, person("mal"))];
    const whole = world.store.commit.bind(world.store);
    world.store.commit = async (writes) => {
      if (writes.some((write) => write.type === "put-change" && write.change.actor.id === mal.actor.id)) {
        throw new Error("a rule was broken");
      }
      return whole(writes);
    };
    const asked = [ada, mal, ada].map((author, index) =>
      world.hub.editor.edit(author, id, { changes: [insertion(0, `${index}`)] }),
    );
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await textOf(world, id)).toBe("20");
  });

  test("a document stays usable after a commit listener throws", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const ada = await authorOf(world, person("ada"));
    const stop = world.hub.feeds.changes.subscribe(() => {
      throw new Error("cannot listen");
    });
    accept(await world.hub.editor.edit(ada, id, { changes: [insertion(0, "typed ")] }));
    stop();
    accept(await world.hub.editor.edit(ada, id, { changes: [insertion(6, "on")] }));
    expect(await textOf(world, id)).toBe("typed on");
    expect(world.logged.map(({ event }) => event)).toContain("watcher-failed");
  });
});

describe("push", () => {
  test("B-31 a person's line at the top and a model's text at the end both appear once in every copy", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file", text: "middle\n" });
    const ada = await authorOf(world, person("ada"));
    const scribe = await authorOf(world, model("run"));
    const replica = new TestReplica(id);
    await replica.join(world);
    const other = new TestReplica(id);
    await other.join(world);
    const update = replica.edit(ada.replica, [insertion(0, "top\n")]);
    await Promise.all([
      world.hub.editor.append(scribe, id, "end\n"),
      world.hub.editor.push(ada, id, update, requestId()),
    ]);
    expect(await textOf(world, id)).toBe("top\nmiddle\nend\n");
    expect(replica.text()).toBe("top\nmiddle\nend\n");
    expect(other.text()).toBe("top\nmiddle\nend\n");
  });

  test("a push with another agent's operations, or with invalid bytes, is refused and changes nothing", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file", text: "text" });
    const ada = await authorOf(world, person("ada"));
    const bob = await authorOf(world, person("bob"));
    const replica = new TestReplica(id);
    await replica.join(world);
    const update = replica.edit(bob.replica, [insertion(0, "bob ")]);
    expect(codeOf(await world.hub.editor.push(ada, id, update, requestId()))).toBe("UPDATE_FOREIGN_REPLICA");
    expect(codeOf(await world.hub.editor.push(ada, id, Uint8Array.of(1, 2, 3), requestId()))).toBe("UPDATE_CORRUPT");
    expect(codeOf(await world.hub.editor.push(ada, id, new Uint8Array(2 ** 20 + 1), requestId()))).toBe(
      "UPDATE_TOO_LARGE",
    );
    expect(accept(await world.hub.reader.read(id))).toMatchObject({ text: "text", header: { version: 1 } });
    expect(codeOf(await world.hub.editor.push(bob, id, update, requestId()))).toBe("ok");
  });

  test("a push to an unknown block is refused, whatever its id", async () => {
    const world = await openWorld();
    const ada = await authorOf(world, person("ada"));
    for (const id of ["", "doc", "doc/1/0", "a/b/c/d"]) {
      expect(codeOf(await world.hub.reader.read(id as BlockId))).toBe("BLOCK_NOT_FOUND");
      expect(codeOf(await world.hub.editor.append(ada, id as BlockId, "x\n"))).toBe("BLOCK_NOT_FOUND");
      expect(codeOf(await world.hub.history.undo(ada, id as BlockId))).toBe("BLOCK_NOT_FOUND");
      expect(codeOf(await world.hub.feeds.watch(id as BlockId, 0, new NoWatcher()))).toBe("BLOCK_NOT_FOUND");
    }
  });
});

class NoWatcher {
  snapshot(): void {
    throw new Error("there is nothing to tell");
  }
  deliver(): void {
    throw new Error("there is nothing to tell");
  }
}

describe("create", () => {
  test("B-21 a block needs a parent that exists", async () => {
    const world = await openWorld();
    await expect(createBlock(world, { parentId: "doc/9/9" as BlockId })).rejects.toThrow("BLOCK_NOT_FOUND");
    const parent = await createBlock(world);
    const child = await createBlock(world, { parentId: parent.id });
    expect(child.parentId).toBe(parent.id);
  });

  test("B-32 a hundred blocks created directly after the first are listed newest first between it and the last", async () => {
    const world = await openWorld();
    const first = await createBlock(world);
    const last = await createBlock(world);
    const between: BlockId[] = [];
    for (let index = 0; index < 100; index += 1) between.push((await createBlock(world, { after: first.id })).id);
    const listed = await world.hub.reader.list("doc" as DocumentId);
    expect(listed.map((header) => header.id)).toEqual([first.id, ...between.toReversed(), last.id]);
  });

  test("B-33 a block id is never reused, also after a restart", async () => {
    const world = await openWorld();
    const ids = [await createBlock(world), await createBlock(world)].map((header) => header.id);
    const later = await openWorld(openMemoryStore(world.store.image()));
    ids.push((await createBlock(later)).id);
    expect(new Set(ids).size).toBe(3);
  });
});

describe("memory", () => {
  test("a block opens from its periodic snapshot and the changes after it", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file" });
    const author = await authorOf(world, model("run"));
    for (let index = 0; index < hubLimits.snapshotChangesMin + 5; index += 1) {
      accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, String(index % 10))] }));
    }
    await atRest();
    expect((await world.store.snapshot(id))?.version).toBe(hubLimits.snapshotChangesMin);
    const later = await openWorld(openMemoryStore(world.store.image()));
    expect(await textOf(later, id)).toBe(await textOf(world, id));
    expect(accept(await later.hub.reader.readAt(id, 3)).text).toBe("10");
  });

  test("who opens a block pays for the edit, and not for what others do while the store is read", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file", text: "warp" });
    const later = await openWorld(openMemoryStore(world.store.image()), world.clock);
    const block = later.store.block.bind(later.store);
    later.store.block = async (blockId) => {
      await new Promise<void>((resolve) => later.clock.setTimer(200, resolve));
      return block(blockId);
    };
    const spentMs: number[] = [];
    later.hub.onSpent(({ ms }) => spentMs.push(ms));
    const author = await authorOf(later, person("ada"));
    const edited = later.hub.editor.edit(author, id, { changes: [insertion(0, "the ")] });
    const missing = later.hub.editor.edit(author, "doc_none/1/0" as BlockId, { changes: [insertion(0, "the ")] });
    await later.clock.advance(1_000);
    accept(await edited);
    expect((await missing).ok).toBe(false);
    expect(spentMs.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...spentMs)).toBe(0);
  });

  describe("19.4 the snapshot of a long history", () => {
    /** A block whose history takes several turns to encode, at the moment when its snapshot was begun. */
    async function begun() {
      const world = await openWorld();
      const author = await authorOf(world, model("run"));
      const { id } = await createBlock(world, { kind: "file", text: "-".repeat(50_000) });
      const changes = Array.from({ length: 25_000 }, (_, at) => ({ from: at * 2, to: at * 2 + 1, insert: "xyz" }));
      const edited = accept(await world.hub.editor.edit(author, id, { changes }));
      for (let round = 0; (await world.store.snapshot(id)) === null && round < 5; round += 1) {
        accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, "y".repeat(100_000))] }));
      }
      return { world, author, id, edited };
    }

    test("is written in turns, while the block changes and others are answered", async () => {
      const { world, author, id } = await begun();
      const { version } = accept(await world.hub.reader.read(id)).header;
      expect(await world.store.snapshot(id)).toBeNull();
      accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, "later")] }));
      for (let round = 0; round < 10; round += 1) await atRest();
      const stored = await world.store.snapshot(id);
      expect(stored?.version).toBeLessThanOrEqual(version);
      const reopened = await openWorld(openMemoryStore(world.store.image()));
      expect(await textOf(reopened, id)).toBe(await textOf(world, id));
    });

    test("is let go of when the block is deleted", async () => {
      const { world, author, id } = await begun();
      accept(await world.hub.deletion.delete(author, id));
      for (let round = 0; round < 10; round += 1) await atRest();
      expect(await world.store.snapshot(id)).toBeNull();
    });

    test("is waited for when the hub closes", async () => {
      const { world, id } = await begun();
      await world.hub.close();
      expect(await world.store.snapshot(id)).not.toBeNull();
    });
  });

  test("a block that leaves memory after enough changes is stored as a snapshot and opens from it", async () => {
    const world = await openWorld();
    const author = await authorOf(world, model("run"));
    const { id } = await createBlock(world);
    const { id: spared } = await createBlock(world);
    for (let index = 0; index < hubLimits.snapshotChangesLeaving; index += 1) {
      accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, "x")] }));
    }
    accept(await world.hub.editor.edit(author, spared, { changes: [insertion(0, "x")] }));
    expect(await world.store.snapshot(id)).toBeNull();
    await world.clock.advance(120_000);
    await atRest();
    expect((await world.store.snapshot(id))?.version).toBe(hubLimits.snapshotChangesLeaving + 1);
    expect(await world.store.snapshot(spared)).toBeNull();
    expect(await textOf(world, id)).toBe("x".repeat(hubLimits.snapshotChangesLeaving));
  });

  test.each(["evicted", "deleted"] as const)(
    "a block that was %s writes no snapshot when it leaves memory",
    async (how) => {
      const world = await openWorld();
      const author = await authorOf(world, model("run"));
      const { id } = await createBlock(world, { kind: "file" });
      for (let index = 0; index < hubLimits.snapshotChangesLeaving; index += 1) {
        accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, "x")] }));
      }
      const { version } = accept(await world.hub.reader.read(id)).header;
      if (how === "evicted") accept(await world.hub.deletion.evict(author, id, version));
      else accept(await world.hub.deletion.delete(author, id));
      const before = await world.store.snapshot(id);
      await world.clock.advance(120_000);
      await atRest();
      expect(await world.store.snapshot(id)).toEqual(before);
    },
  );

  test("a sweep of many blocks yields to the event loop, and a failed snapshot does not stop the sweep", async () => {
    const world = await openWorld();
    const author = await authorOf(world, model("run"));
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await createBlock(world)).id));
    for (let index = 0; index < hubLimits.snapshotChangesLeaving; index += 1) {
      for (const id of ids) accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, "x")] }));
    }
    const { store, clock } = world;
    const [monotonic, commit] = [clock.monotonic.bind(clock), store.commit.bind(store)];
    let spentMs = 0;
    let inThisTurn = 0;
    let mostInOneTurn = 0;
    clock.monotonic = () => monotonic() + spentMs;
    store.commit = (writes) => {
      spentMs += hubLimits.sliceMs;
      inThisTurn += 1;
      mostInOneTurn = Math.max(mostInOneTurn, inThisTurn);
      queueMicrotask(() => (inThisTurn = 0));
      if (writes.some((write) => write.type === "put-snapshot" && write.snapshot.blockId === ids[1]))
        throw new Error("no");
      return commit(writes);
    };
    await world.clock.advance(120_000);
    await atRest();
    const written = await Promise.all(ids.map(async (id) => (await store.snapshot(id))?.version ?? null));
    expect(written).toEqual(ids.map((_, index) => (index === 1 ? null : hubLimits.snapshotChangesLeaving + 1)));
    expect(mostInOneTurn).toBe(2);
  });

  test("an unwatched block leaves memory after a minute and opens again unchanged", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "file", text: "text" });
    let reads = 0;
    const block = world.store.block.bind(world.store);
    world.store.block = (blockId) => {
      reads += 1;
      return block(blockId);
    };
    await textOf(world, id);
    expect(reads).toBe(0);
    await world.clock.advance(120_000);
    expect(await textOf(world, id)).toBe("text");
    expect(reads).toBe(1);
    const replica = new TestReplica(id);
    await replica.join(world);
    await world.clock.advance(600_000);
    await textOf(world, id);
    expect(reads).toBe(1);
  });

  test("close flushes buffered text", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    await world.hub.editor.append(await authorOf(world, model("run")), id, "tail");
    await world.hub.close();
    const later = await openWorld(openMemoryStore(world.store.image()));
    expect(await textOf(later, id)).toBe("tail");
  });
});

test("create refuses a text that is too long before building a document", async () => {
  const world = await openWorld();
  const author = await authorOf(world, person("maker"));
  const text = "x\n".repeat(hubLimits.textUnitsMax / 2 + 1);
  const spentCpu = process.cpuUsage();
  const made = await world.hub.editor.create(author, {
    documentId: "doc" as DocumentId,
    parentId: null,
    role: "assistant",
    kind: "text",
    text,
    status: "running",
    metadata: {},
  });
  expect(codeOf(made)).toBe("BLOCK_TOO_LARGE");
  // Building the document takes several hundred milliseconds.
  expect(process.cpuUsage(spentCpu).user / 1_000).toBeLessThan(50);
});
