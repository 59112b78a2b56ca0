import { describe, expect, test } from "vitest";
import type { BlockId, ThreadId, TurnId } from "../../core/base/ids.ts";
import type { Thread } from "../../core/block/comment/thread.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { blockId, model, person, put, replicaId } from "./records.ts";

/** A thread of two comments: a person's, and a model's in the turn of `model("1")`. */
export function thread(name: string, change: Partial<Thread> = {}): Thread {
  return {
    id: `c${name}` as ThreadId,
    blockId: blockId("1"),
    version: 1,
    state: "open",
    anchor: {
      own: [{ spans: [{ replica: replicaId(2), seq: 4, length: 6 }], joined: [] }],
      seam: { before: null, after: { replica: replicaId(2), seq: 10 } },
      quote: { text: "one 😀\u0000", length: 6, before: "", after: "two" },
    },
    comments: [
      { seq: 1, actor: person, text: "Why?", at: 1_000 },
      { seq: 2, actor: model("1"), text: "Because.", at: 1_001, earlier: ["No."], editedAt: 1_002 },
    ],
    events: [{ type: "moved", by: person, at: 1_003 }],
    createdAt: 1_000,
    ...change,
  };
}

/** The threads of comments on documents. */
export function describeThreads(open: OpenStore): void {
  describe("threads of comments", () => {
    const fresh = freshStore(open);
    const putting = (of: Thread) => ({ type: "put-thread", thread: of }) as const;
    const list = async (id: BlockId) => (await fresh.store().threads(id)).map((one) => one.id);

    test("threads are read as stored, oldest first, by document, by id and by turn", async () => {
      await fresh.make(put("1", 1), put("2", 1));
      const late = thread("a", { createdAt: 3_000 });
      const resolved = thread("b", { state: "resolved", anchor: null, deletedAt: 5 });
      const elsewhere = thread("z", { blockId: blockId("2"), comments: [{ seq: 1, actor: person, text: "x", at: 1 }] });
      await fresh.make(putting(late), putting(resolved), putting(elsewhere));
      expect(await fresh.store().threads(blockId("1"))).toEqual([resolved, late]);
      expect(await fresh.store().thread(late.id)).toEqual(late);
      expect(await fresh.store().thread("none" as ThreadId)).toBeNull();
      const written = model("1");
      const turnId = written.type === "model" ? written.turnId : ("none" as TurnId);
      expect(await fresh.store().threadsOfTurn(turnId)).toEqual([resolved, late]);
      expect(await fresh.store().threadsOfTurn("none" as TurnId)).toEqual([]);
    });

    test("K-24 of two changes of one thread at the same time one is refused, with the version that is stored", async () => {
      await fresh.make(put("1", 1), putting(thread("a")));
      const [one, other] = await Promise.all([
        fresh.store().commit([putting(thread("a", { version: 2, state: "resolved" }))]),
        fresh.store().commit([putting(thread("a", { version: 2 }))]),
      ]);
      expect(one.ok).not.toBe(other.ok);
      expect(one.ok ? other : one).toMatchObject({ error: { code: "CONFLICT", stored: 2 } });
      expect(await fresh.refused(putting(thread("n", { version: 2 })))).toMatchObject({
        code: "CONFLICT",
        stored: null,
      });
    });

    test("a thread of a missing document, or that changes its time, rejects", async () => {
      await fresh.make(put("1", 1), putting(thread("a")));
      const lost = blockId("lost");
      await expect(fresh.store().commit([putting(thread("b", { blockId: lost }))])).rejects.toThrow();
      await expect(fresh.store().commit([putting(thread("a", { version: 2, blockId: lost }))])).rejects.toThrow();
      await expect(fresh.store().commit([putting(thread("a", { version: 2, createdAt: 9 }))])).rejects.toThrow();
      expect(await list(blockId("1"))).toEqual(["ca"]);
    });

    test("K-08 a thread that moves to another document is of that one alone", async () => {
      await fresh.make(put("1", 1), put("2", 1), putting(thread("a")));
      const moved = thread("a", { version: 2, blockId: blockId("2") });
      await fresh.make(putting(moved));
      expect(await list(blockId("1"))).toEqual([]);
      expect(await fresh.store().threads(blockId("2"))).toEqual([moved]);
      expect(await fresh.store().thread(moved.id)).toEqual(moved);
      expect(await fresh.refused(putting(thread("a", { version: 2 })))).toMatchObject({ code: "CONFLICT", stored: 2 });
    });

    test("threads are deleted one by one, and with their document", async () => {
      await fresh.make(put("1", 1), putting(thread("a")), putting(thread("b")));
      await fresh.make({ type: "delete-thread", id: thread("a").id });
      expect(await list(blockId("1"))).toEqual(["cb"]);
      await fresh.make(put("1", 2, { header: { deletedAt: 1 }, change: { body: { type: "deleted" } } }));
      await fresh.make({ type: "purge-block", blockId: blockId("1"), version: 2 });
      expect(await list(blockId("1"))).toEqual([]);
    });

    test("threads survive a restart", async (context) => {
      if (!fresh.canReopen()) context.skip("this store keeps nothing beyond its own life");
      await fresh.make(put("1", 1), putting(thread("a")));
      expect(await (await fresh.reopened()).threads(blockId("1"))).toEqual([thread("a")]);
    });
  });
}
