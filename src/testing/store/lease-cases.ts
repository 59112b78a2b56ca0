import { describe, expect, test } from "vitest";
import type { Lease } from "../../core/lease/types.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { blockId, heldLease, leaseId, put, runId } from "./records.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";

const canvas = blockId("canvas");
const end = 15_000.5;

function acquire(lease: Lease, monotonicMs = 0): StoreWrite {
  return { type: "acquire-lease", lease, monotonicMs };
}

/** Leases: who may hold them, for how long, under which epoch. */
export function describeLeases(open: OpenStore): void {
  describe("leases", () => {
    const fresh = freshStore(open);

    test("a lease is read as acquired and is null after its release", async () => {
      const lease = heldLease("a", 1);
      expect(await fresh.store().lease(canvas)).toBeNull();
      await fresh.make(acquire(lease));
      expect(await fresh.store().lease(canvas)).toEqual(lease);
      const other = heldLease("a", 5, { canvas: "another" });
      await fresh.make(acquire(other));
      expect(await fresh.store().leases()).toEqual([other, lease]);
      await fresh.make({ type: "release-lease", canvasId: canvas, leaseId: leaseId("b") });
      expect(await fresh.store().lease(canvas)).toEqual(lease);
      await fresh.make({ type: "release-lease", canvasId: canvas, leaseId: leaseId("a") });
      expect(await fresh.store().lease(canvas)).toEqual({ canvasId: canvas, epoch: 1, held: null });
      await fresh.make({ type: "release-lease", canvasId: canvas, leaseId: leaseId("a") });
      await fresh.make({ type: "release-lease", canvasId: blockId("none"), leaseId: leaseId("a") });
      expect(await fresh.store().lease(blockId("none"))).toBeNull();
    });

    test.each([
      ["another, while it is held", heldLease("b", 2), end - 0.25, "LOCK_NOT_AVAILABLE"],
      ["another, the instant it expires, under a new epoch", heldLease("b", 2), end, "ok"],
      ["another, after it expired, under a used epoch", heldLease("b", 1), end, "STALE_EPOCH"],
      [
        "its holder, under another lease id",
        { ...heldLease("a", 1), held: heldLease("b", 1).held },
        0,
        "LOCK_NOT_AVAILABLE",
      ],
      ["its holder, again under the same id", heldLease("a", 1, { expiresAt: 20_000 }), 5_000, "ok"],
    ])("taken by %s", async (_name, wanted, at, expected) => {
      const held = heldLease("a", 1);
      await fresh.make(acquire(held));
      const result = await fresh.store().commit([acquire(wanted, at)]);
      expect(result.ok ? "ok" : result.error).toEqual(
        expected === "ok" ? "ok" : { code: expected, index: 0, lease: held },
      );
      expect(await fresh.store().lease(canvas)).toEqual(expected === "ok" ? wanted : held);
    });

    test.each([5, 6])("a free lease at epoch 6 is not acquired under epoch %i", async (epoch) => {
      const free = { canvasId: canvas, epoch: 6, held: null };
      const refused = { code: "STALE_EPOCH", index: 0, lease: free };
      await fresh.make({ type: "preempt-lease", canvasId: canvas, epoch: 6 });
      expect(await fresh.refused(acquire(heldLease("a", epoch)))).toEqual(refused);
      expect(await fresh.store().lease(canvas)).toEqual(free);
      await fresh.make(acquire(heldLease("a", 7)));
      expect(await fresh.store().lease(canvas)).toEqual(heldLease("a", 7));
    });

    test("the epoch of a released lease is never reused, not even for the same id", async () => {
      await fresh.make(acquire(heldLease("a", 3)));
      await fresh.make({ type: "release-lease", canvasId: canvas, leaseId: leaseId("a") });
      for (const wanted of [heldLease("b", 3), heldLease("a", 3)]) {
        expect(await fresh.refused(acquire(wanted))).toMatchObject({ code: "STALE_EPOCH", lease: { epoch: 3 } });
      }
      await fresh.make(acquire(heldLease("b", 4)));
      expect(await fresh.refused({ type: "renew-lease", lease: heldLease("a", 3), monotonicMs: 0 })).toMatchObject({
        code: "STALE_EPOCH",
      });
    });

    test.each([
      ["its holder, in time", heldLease("a", 3, { expiresAt: 30_000 }), end - 0.25, "ok"],
      ["its holder, the instant it expires", heldLease("a", 3), end, "LEASE_EXPIRED"],
      ["another lease id", heldLease("b", 3), 0, "LOCK_NOT_OWNED"],
      ["another lease id, after it expired", heldLease("b", 3), end, "LOCK_NOT_OWNED"],
      ["an earlier epoch", heldLease("a", 2), 0, "STALE_EPOCH"],
      ["an earlier epoch, after it expired", heldLease("a", 2), end, "STALE_EPOCH"],
      ["a later epoch", heldLease("a", 4), 0, "STALE_EPOCH"],
    ])("renewed by %s", async (_name, wanted, monotonicMs, expected) => {
      const held = heldLease("a", 3);
      await fresh.make(acquire(held));
      const result = await fresh.store().commit([{ type: "renew-lease", lease: wanted, monotonicMs }]);
      expect(result.ok ? "ok" : result.error).toEqual(
        expected === "ok" ? "ok" : { code: expected, index: 0, lease: held },
      );
      expect(await fresh.store().lease(canvas)).toEqual(expected === "ok" ? wanted : held);
    });

    test.each([
      ["its holder, in time", {}, end - 0.25, "ok"],
      ["its holder, the instant it expires", {}, end, "LEASE_EXPIRED"],
      ["another lease id", { leaseId: leaseId("b") }, 0, "LOCK_NOT_OWNED"],
      ["another run with that lease id", { holder: runId("b") }, 0, "LOCK_NOT_OWNED"],
      ["an epoch that a person has ended", { epoch: 2 }, 0, "STALE_EPOCH"],
      ["an ended epoch, too late, under another id", { epoch: 2, leaseId: leaseId("b") }, end, "STALE_EPOCH"],
    ])("a write by %s", async (_name, change, monotonicMs, expected) => {
      const held = heldLease("a", 3);
      await fresh.make(acquire(held), put("1", 1));
      const guard = {
        type: "guard-lease",
        canvasId: canvas,
        leaseId: leaseId("a"),
        holder: runId("a"),
        epoch: 3,
        monotonicMs,
        ...change,
      } as const;
      const result = await fresh.store().commit([put("1", 2), guard]);
      expect(result.ok ? "ok" : result.error).toEqual(
        expected === "ok" ? "ok" : { code: expected, index: 1, lease: held },
      );
      expect((await fresh.store().block(blockId("1")))?.version).toBe(expected === "ok" ? 2 : 1);
    });

    test("a canvas without any lease so far is owned by nobody", async () => {
      const lease = heldLease("a", 1);
      const renewed = { type: "renew-lease", lease, monotonicMs: 0 } as const;
      expect(await fresh.refused(renewed)).toEqual({ code: "LOCK_NOT_OWNED", index: 0, lease: null });
      await fresh.make({ type: "preempt-lease", canvasId: canvas, epoch: 1 });
      expect(await fresh.refused(renewed)).toMatchObject({ code: "LOCK_NOT_OWNED", lease: { epoch: 1 } });
    });

    test("a preemption ends the lease and raises the epoch, even when the caller knew an older epoch", async () => {
      await fresh.make(acquire(heldLease("a", 3)));
      await fresh.make({ type: "preempt-lease", canvasId: canvas, epoch: 4 });
      expect(await fresh.store().lease(canvas)).toEqual({ canvasId: canvas, epoch: 4, held: null });
      expect(await fresh.refused({ type: "renew-lease", lease: heldLease("a", 3), monotonicMs: 0 })).toMatchObject({
        code: "STALE_EPOCH",
      });
      await fresh.make(acquire(heldLease("b", 9)));
      await fresh.make({ type: "preempt-lease", canvasId: canvas, epoch: 5 });
      expect(await fresh.store().lease(canvas)).toEqual({ canvasId: canvas, epoch: 10, held: null });
      await fresh.make({ type: "preempt-lease", canvasId: canvas, epoch: 2 });
      expect((await fresh.store().lease(canvas))?.epoch).toBe(10);
    });

    test("C-09 a hundred races of eight check-outs have one winner each, and the epoch never falls", async () => {
      let epoch = 0;
      for (let round = 1; round <= 100; round += 1) {
        // The racers ask under one epoch, as servers with equal knowledge do, or each under its own: only the held lease
        // decides.
        const wanted = Array.from({ length: 8 }, (_, racer) => {
          return heldLease(`${round}-${racer}`, epoch + 1 + (round % 3 === 0 ? racer : 0));
        });
        const results = await Promise.all(wanted.map((lease) => fresh.store().commit([acquire(lease)])));
        const winners = wanted.filter((_, racer) => results[racer]?.ok);
        expect(winners).toHaveLength(1);
        const stored = await fresh.store().lease(canvas);
        expect(stored).toEqual(winners[0]);
        for (const result of results) if (!result.ok) expect(result.error.code).toBe("LOCK_NOT_AVAILABLE");
        expect(stored?.epoch).toBeGreaterThan(epoch);
        epoch = stored?.epoch ?? epoch;
        const winner = winners[0]?.held?.leaseId ?? leaseId("none");
        if (round % 2 === 0) await fresh.make({ type: "release-lease", canvasId: canvas, leaseId: winner });
        else await fresh.make({ type: "preempt-lease", canvasId: canvas, epoch: epoch + 1 });
        const after = (await fresh.store().lease(canvas))?.epoch ?? 0;
        expect(after).toBeGreaterThanOrEqual(epoch);
        epoch = after;
      }
    });
  });
}
