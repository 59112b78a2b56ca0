import { describe, expect, test } from "vitest";
import {
  awaiting,
  blockId,
  effect,
  heldLease,
  node,
  notice,
  put,
  requestId,
  root,
  rootId,
  run,
  runEvent,
  runId,
  waiting,
} from "./records.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";

/** The content that outlives a store, and the requests that are open when it closes. */
export function describeReopening(open: OpenStore): void {
  describe("closing", () => {
    const fresh = freshStore(open);

    test("a restarted store has everything that was committed", async (context) => {
      if (!fresh.canReopen()) context.skip("this store keeps nothing beyond its own life");
      await fresh.make(
        { type: "put-root", root: root("a") },
        { type: "put-node", node: node("1") },
        { type: "put-run", run: run("a", { state: awaiting, eventSeq: 4 }), expectedEventSeq: null },
        { type: "put-run-event", record: runEvent("a", 4) },
        { type: "put-effect", effect: effect("0") },
        { type: "put-waiting", waiting: waiting("w") },
        { type: "append-feed", record: notice("a", 1) },
        put("1", 1),
        put("1", 2, { change: { requestId: requestId("r") } }),
        {
          type: "put-snapshot",
          snapshot: { blockId: blockId("1"), version: 1, bytes: new Uint8Array(1_500_000).fill(3) },
        },
        { type: "put-meta", key: "k", value: { v: 1 } },
        { type: "acquire-lease", lease: heldLease("a", 3), monotonicMs: 0 },
      );
      const before = await everything(fresh.store());
      const after = await everything(await fresh.reopened());
      expect(after).toEqual(before);
      expect(after.unsettled).toHaveLength(1);
      expect(await fresh.refused(put("1", 3, { change: { requestId: requestId("r") } }))).toMatchObject({
        code: "DUPLICATE_REQUEST",
        version: 2,
      });
      expect(await fresh.refused({ type: "append-feed", record: notice("a", 1) })).toMatchObject({ stored: 1 });
      await fresh.make({ type: "append-feed", record: notice("a", 2) }, put("1", 3));
    });

    test("a commit under way is finished first, and later commits reject", async () => {
      const store = fresh.store();
      const commit = store.commit([put("1", 1)]);
      await store.close();
      expect(await commit).toEqual({ ok: true, value: undefined });
      await expect(store.commit([put("1", 2)])).rejects.toThrow();
      await expect(store.block(blockId("1"))).rejects.toThrow();
      await store.close();
    });
  });

  async function everything(store: ReturnType<ReturnType<typeof freshStore>["store"]>) {
    return {
      roots: await store.roots(),
      nodes: await store.nodes(rootId("a")),
      runs: await store.runs(rootId("a")),
      unsettled: await store.unsettledRuns(),
      events: await store.runEvents(runId("a")),
      effects: await store.effects(runId("a")),
      waiting: await store.waiting(runId("a")),
      feed: await store.feed(rootId("a"), 0, 100),
      block: await store.block(blockId("1")),
      changes: await store.changes({ blockId: blockId("1"), afterVersion: 0 }),
      snapshot: await store.snapshot(blockId("1")),
      leases: await store.leases(),
      meta: await store.meta("k"),
    };
  }
}
