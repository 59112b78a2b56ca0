import { describe, expect, test, vi } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { BlockId, LeaseId, RunId } from "../../core/base/ids.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import { atRest, openWorld, type World, openHeldWorld } from "../document/world.test-support.ts";
import { isRunOfToken, outsideRun } from "./outside-runs.ts";
import type { LeaseUse } from "./types.ts";

const canvasId = "canvas/1/0" as BlockId;
const runId = "run" as RunId;
const revisionId = "1-00000000";

async function acquire({ leases }: World, run: RunId = runId): Promise<LeaseUse> {
  const lease = accept(await leases.acquire({ canvasId, runId: run, holderName: "scribe", revisionId }));
  return { canvasId, leaseId: lease.leaseId, runId: run };
}

describe("a person's act", () => {
  test("during a check-out ends the new lease at once", async () => {
    const { world, hold, release } = await openHeldWorld();
    hold();
    const taking = acquire(world);
    await atRest();
    expect(world.leases.preemptWrites([runId])).toEqual([]);
    const acted = world.leases.preempted([runId]);
    await release();
    await acted;
    const use = await taking;
    expect(world.leases.isHeld(canvasId)).toBe(false);
    expect(codeOf(await world.leases.use(use))).toBe("STALE_EPOCH");
    expect((await world.store.lease(canvasId))?.held).toBe(null);
  });

  test("during a renewal leaves the lease ended", async () => {
    const { world, hold, release } = await openHeldWorld();
    const use = await acquire(world);
    await world.clock.advance(5000);
    hold();
    const renewing = world.leases.renew(use);
    const taking = world.leases.takeControl(canvasId);
    await atRest();
    await release();
    await Promise.all([renewing, taking]);
    expect(world.leases.status(canvasId)).toMatchObject({ epoch: 2, held: null });
    expect(codeOf(await world.leases.use(use))).toBe("STALE_EPOCH");
  });

  test("ends the leases of its runs by writes of its own transaction, and notifies watchers after the commit", async () => {
    const world = await openWorld();
    const use = await acquire(world);
    const grant = accept(await world.leases.use(use));
    const writes = world.leases.preemptWrites([runId, "other" as RunId]);
    expect(writes).toEqual([{ type: "preempt-lease", canvasId, epoch: 2 }]);
    accept(await world.store.commit(writes));
    // Between the two halves only the store decides.
    expect(codeOf(await world.store.commit([world.leases.guard(grant)]))).toBe("STALE_EPOCH");
    await world.leases.preempted([runId]);
    expect(world.leases.status(canvasId)).toEqual({ canvasId, epoch: 2, held: null });
    await world.leases.preempted([runId]);
    expect(world.leases.status(canvasId).epoch).toBe(2);
  });
});

test("a lease does not begin when the store refuses it, and continues when the store refuses its end", async () => {
  let full = false;
  const store = openMemoryStore(undefined, { fault: () => (full ? "STORE_FULL" : null) });
  const world = await openWorld(store);
  full = true;
  const request = { canvasId, runId, holderName: "scribe", revisionId };
  expect(codeOf(await world.leases.acquire(request))).toBe("STORE_FULL");
  expect(world.leases.isHeld(canvasId)).toBe(false);
  full = false;
  const use = await acquire(world);
  full = true;
  expect(codeOf(await world.leases.takeControl(canvasId))).toBe("STORE_FULL");
  await world.leases.releaseAll(runId);
  expect(world.leases.isHeld(canvasId)).toBe(true);
  expect(world.logged).toContainEqual({ event: "lease-release-failed", fields: { code: "STORE_FULL" } });
  full = false;
  expect(codeOf(await world.leases.release(use))).toBe("ok");
});

test("watchers receive when a lease was taken and when its holder was last active, also after renewals", async () => {
  const world = await openWorld();
  const use = await acquire(world);
  const since = world.clock.now();
  await world.clock.advance(9_000);
  accept(await world.leases.renew(use));
  await world.clock.advance(2_000);
  const renewedAt = since + 9_000;
  expect(world.leases.status(canvasId).held).toMatchObject({ since, renewedAt, expiresAt: renewedAt + 15_000 });
});

test("a restart ends every lease under a new epoch and keeps the epochs of free canvases", async () => {
  const world = await openWorld();
  const use = await acquire(world);
  const later = await openWorld(openMemoryStore(world.store.image()));
  expect(later.leases.status(canvasId)).toEqual({ canvasId, epoch: 2, held: null });
  expect(codeOf(await later.leases.use(use))).toBe("LOCK_NOT_OWNED");
  const again = await openWorld(openMemoryStore(later.store.image()));
  expect(again.leases.status(canvasId).epoch).toBe(2);
});

test("a restart ends every lease while the disk is full; the next lease writes the new epoch", async () => {
  const world = await openWorld();
  const use = await acquire(world);
  let full = true;
  const store = openMemoryStore(world.store.image(), { fault: () => (full ? "STORE_FULL" : null) });
  const later = await openWorld(store);
  expect(later.leases.status(canvasId)).toEqual({ canvasId, epoch: 2, held: null });
  expect(codeOf(await later.leases.use(use))).toBe("LOCK_NOT_OWNED");
  const request = { canvasId, runId: "other" as RunId, holderName: "scribe", revisionId };
  expect(codeOf(await later.leases.acquire(request))).toBe("STORE_FULL");
  expect(later.leases.isHeld(canvasId)).toBe(false);
  full = false;
  const taken = await acquire(later, "other" as RunId);
  expect(await store.lease(canvasId)).toMatchObject({ epoch: 3, held: { holder: "other" } });
  expect(codeOf(await later.leases.use(taken))).toBe("ok");
  expect(codeOf(await later.leases.release(taken))).toBe("ok");
  await acquire(later);
  expect(await store.lease(canvasId)).toMatchObject({ epoch: 4, held: { holder: runId } });
});

test("the end of a turn deletes the lease ids of its own run only", async () => {
  const world = await openWorld();
  const use = await acquire(world);
  await world.leases.releaseAll("other" as RunId);
  expect(codeOf(await world.leases.use(use))).toBe("ok");
  await world.leases.releaseAll(runId);
  expect(world.leases.grant(use.leaseId)).toBeUndefined();
  expect(codeOf(await world.leases.use(use))).toBe("LOCK_NOT_OWNED");
  expect(codeOf(await world.leases.use({ ...use, leaseId: "lease_none" as LeaseId }))).toBe("LOCK_NOT_OWNED");
});

test("a released lease id is invalid, also while another run holds the canvas; the next lease has a higher epoch", async () => {
  const world = await openWorld();
  const use = await acquire(world);
  accept(await world.leases.release(use));
  expect(codeOf(await world.leases.use(use))).toBe("LOCK_NOT_OWNED");
  expect(world.leases.status(canvasId).epoch).toBe(1);
  await acquire(world, "other" as RunId);
  expect(world.leases.status(canvasId).epoch).toBe(2);
  expect(codeOf(await world.leases.use(use))).toBe("LOCK_NOT_OWNED");
  expect(codeOf(await world.leases.release(use))).toBe("ok");
  expect(world.leases.status(canvasId).held?.holder).toBe("other");
});

test("releasing a lease that a person ended still reports that a person ended it", async () => {
  const world = await openWorld();
  const use = await acquire(world);
  await world.leases.takeControl(canvasId);
  accept(await world.leases.release(use));
  expect(codeOf(await world.leases.use(use))).toBe("STALE_EPOCH");
});

test("a lease that was given back stays so when its renewal is answered after that", async () => {
  const world = await openWorld();
  const use = await acquire(world);
  const answered = Promise.withResolvers<void>();
  const commit = world.store.commit.bind(world.store);
  vi.spyOn(world.store, "commit").mockImplementation(async (writes) => {
    const committed = await commit(writes);
    if (writes.some(({ type }) => type === "renew-lease")) await answered.promise;
    return committed;
  });
  const renewing = world.leases.renew(use);
  expect(codeOf(await world.leases.release(use))).toBe("ok");
  answered.resolve();
  await renewing;
  expect(world.leases.isHeld(canvasId)).toBe(false);
});

test("a holder that checks out again keeps its lease and epoch", async () => {
  const world = await openWorld();
  const use = await acquire(world);
  expect(await acquire(world)).toEqual(use);
  expect(world.leases.status(canvasId).epoch).toBe(1);
  expect((await world.store.lease(canvasId))?.epoch).toBe(1);
});

test("a grant keeps the last eight views, fewer when they are long, and none older than the holder's last suggestion", async () => {
  const world = await openWorld();
  const use = await acquire(world);
  const view = (number: number, units = 1) => ({
    revisionId: `${number}-00000000`,
    version: number,
    text: "x".repeat(units),
  });
  const kept = () => world.leases.grant(use.leaseId)?.views.map(({ version }) => version);
  for (let number = 1; number <= 10; number += 1) world.leases.noteView(use.leaseId, view(number));
  expect(kept()).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  world.leases.noteView(use.leaseId, view(5));
  expect(kept()).toEqual([3, 4, 6, 7, 8, 9, 10, 5]);
  world.leases.noteView(use.leaseId, view(11, 3_999_998));
  expect(kept()).toEqual([10, 5, 11]);
  world.leases.noteView(use.leaseId, view(12, 5_000_000));
  expect(kept()).toEqual([12]);
  world.leases.noteSuggested(use.leaseId, { view: view(13), patchHash: "hash" });
  expect(world.leases.grant(use.leaseId)).toMatchObject({
    views: [{ version: 13 }],
    lastRevisionId: "13-00000000",
    lastWriteVersion: 13,
    lastPatchHash: "hash",
  });
});

test("a listener that throws does not keep other listeners from being notified", async () => {
  const world = await openWorld();
  const heard: number[] = [];
  world.leases.onChange(() => {
    throw new Error("a bug");
  });
  const stop = world.leases.onChange(({ epoch }) => heard.push(epoch));
  await acquire(world);
  stop();
  await world.leases.takeControl(canvasId);
  expect(heard).toEqual([1]);
  expect(world.logged.map(({ event }) => event)).toContain("lease-listener-failed");
});

describe("an outside agent's lease", () => {
  const outside = outsideRun({ tokenId: "token_1", session: "s1" });

  test("I-04 lives 120 s after its last use, when a run's has long expired", async () => {
    const world = await openWorld();
    const use = await acquire(world, outside);
    await world.clock.advance(119_000);
    expect(codeOf(await world.leases.use(use))).toBe("ok");
    await world.clock.advance(121_000);
    expect(codeOf(await world.leases.use(use))).toBe("LEASE_EXPIRED");
    const own = await acquire(world, "own-run" as RunId);
    await world.clock.advance(16_000);
    expect(codeOf(await world.leases.use(own))).toBe("LEASE_EXPIRED");
  });

  test("is remembered for a while after it was given back, so that an agent that never ends takes bounded room", async () => {
    const world = await openWorld();
    const ids: LeaseId[] = [];
    for (let times = 0; times < 200; times += 1) {
      const use = await acquire(world, outside);
      ids.push(use.leaseId);
      await world.leases.release(use);
    }
    const known = ids.filter((id) => world.leases.grant(id) !== undefined);
    expect(known.length).toBeGreaterThan(10);
    expect(known.length).toBeLessThan(100);
    expect(known).toEqual(ids.slice(-known.length));
  });

  test("ends with its token, as Take control ends it, and no other lease does", async () => {
    const world = await openWorld();
    const use = await acquire(world, outside);
    await world.leases.endWhere((runId) => runId === "another");
    expect(world.leases.isHeld(canvasId)).toBe(true);
    await world.leases.endWhere((runId) => isRunOfToken(runId, "token_1"));
    expect(codeOf(await world.leases.use(use))).toBe("STALE_EPOCH");
  });
});
