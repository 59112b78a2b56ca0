import { describe, expect, test } from "vitest";
import type { BlockId, LeaseId, RunId } from "../../core/base/ids.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import { openWorld, type World } from "../document/world.test-support.ts";
import type { LeaseUse } from "./types.ts";

const canvasId = "canvas/1/0" as BlockId;
const runId = "run" as RunId;
const other = "other" as RunId;
const ttlMs = 15_000;

async function acquire({ leases }: World, run = runId, canvas = canvasId): Promise<LeaseUse> {
  const request = { canvasId: canvas, runId: run, holderName: "scribe", revisionId: "1-00000000" };
  return { canvasId: canvas, leaseId: accept(await leases.acquire(request)).leaseId, runId: run };
}

/** Notes the holders that watchers are told, null for none. */
function told(world: World): (string | null)[] {
  const holders: (string | null)[] = [];
  world.leases.onChange(({ held }) => void holders.push(held?.holder ?? null));
  return holders;
}

describe("a lease that is used", () => {
  test("is renewed when a part of its time is over, and not before", async () => {
    const world = await openWorld();
    const use = await acquire(world);
    const holders = told(world);
    await world.clock.advance(100);
    accept(await world.leases.use(use));
    expect(holders).toEqual([]);
    await world.clock.advance(ttlMs - 200);
    accept(await world.leases.use(use));
    expect(holders).toEqual([runId]);
    await world.clock.advance(ttlMs - 100);
    expect(world.leases.isHeld(canvasId)).toBe(true);
  });

  test("is renewed by heartbeats, which share a write with the use right after", async () => {
    const world = await openWorld();
    const use = await acquire(world);
    const holders = told(world);
    world.leases.heartbeat(runId);
    await world.clock.advance(ttlMs - 1);
    world.leases.heartbeat(other);
    expect(holders).toEqual([]);
    world.leases.heartbeat(runId);
    world.leases.heartbeat(runId);
    accept(await world.leases.use(use));
    expect(holders).toEqual([runId]);
    await world.clock.advance(ttlMs - 1);
    expect(world.leases.isHeld(canvasId)).toBe(true);
  });

  test("counts its run's reads and writes while the run holds a canvas", async () => {
    const world = await openWorld();
    expect(world.leases.usage(runId)).toBeNull();
    const use = await acquire(world);
    await world.clock.advance(50);
    accept(await world.leases.use(use));
    expect(world.leases.usage(runId)).toEqual({ count: 2, lastAt: world.clock.monotonic() });
    expect(world.leases.usage(other)).toBeNull();
    accept(await world.leases.release(use));
    expect(world.leases.usage(runId)).toBeNull();
  });
});

describe("a lease that nobody uses", () => {
  test("expires once, which watchers are told, and may be taken by another run", async () => {
    const world = await openWorld();
    const use = await acquire(world);
    const holders = told(world);
    await world.clock.advance(ttlMs - 1);
    expect([holders, world.leases.isHeld(canvasId)]).toEqual([[], true]);
    await world.clock.advance(1);
    expect([holders, world.leases.isHeld(canvasId)]).toEqual([[null], false]);
    await acquire(world, other);
    const late = await world.leases.use(use);
    expect(late).toMatchObject({ error: { code: "STALE_EPOCH", details: { ran_out: true } } });
  });

  test("tells nobody when it ended before its time was over", async () => {
    const world = await openWorld();
    accept(await world.leases.release(await acquire(world)));
    const holders = told(world);
    await world.clock.advance(ttlMs * 2);
    expect(holders).toEqual([]);
  });

  test("has no timer left when the keeper is closed", async () => {
    const world = await openWorld();
    await acquire(world);
    const holders = told(world);
    world.leases.close();
    await world.clock.advance(ttlMs * 2);
    expect(holders).toEqual([]);
  });
});

describe("whether a person took a canvas", () => {
  test("is known of the lease that the person ended, and of no other", async () => {
    const world = await openWorld();
    const use = await acquire(world);
    const grant = accept(await world.leases.use(use));
    expect(await world.leases.wasTaken(grant)).toBe(false);
    expect(accept(await world.leases.takeControl(canvasId))).toMatchObject({ epoch: 2, runId });
    expect(await world.leases.wasTaken(grant)).toBe(true);
    const next = accept(await world.leases.use(await acquire(world, other)));
    expect([await world.leases.wasTaken(grant), await world.leases.wasTaken(next)]).toEqual([true, false]);
    expect(await world.leases.wasTaken({ ...grant, leaseId: "lease_else" as LeaseId })).toBe(false);
  });

  test("is known as soon as the store has it", async () => {
    const world = await openWorld();
    const grant = accept(await world.leases.use(await acquire(world)));
    accept(await world.store.commit(world.leases.preemptWrites([runId])));
    expect(await world.leases.wasTaken(grant)).toBe(true);
  });

  test("is nobody's act on a canvas that is free", async () => {
    const world = await openWorld();
    const holders = told(world);
    expect(accept(await world.leases.takeControl(canvasId))).toEqual({ epoch: 0, runId: null });
    expect(holders).toEqual([]);
  });
});

test("leases of several canvases are renewed, ended and released each by itself", async () => {
  const world = await openWorld();
  const second = "canvas/1/1" as BlockId;
  const third = "canvas/1/2" as BlockId;
  const [one, two] = [await acquire(world), await acquire(world, runId, second)];
  const foreign = await acquire(world, other, third);
  expect(world.leases.preemptWrites([runId]).map((write) => "canvasId" in write && write.canvasId)).toEqual([
    canvasId,
    second,
  ]);
  expect([world.leases.grantOf(runId, second)?.leaseId, world.leases.grantOf(other, second)]).toEqual([
    two.leaseId,
    undefined,
  ]);
  accept(await world.leases.release({ ...two, runId: other }));
  expect(world.leases.isHeld(second)).toBe(true);
  accept(await world.leases.release(two));
  expect([canvasId, second, third].map((id) => world.leases.isHeld(id))).toEqual([true, false, true]);
  expect(codeOf(await world.leases.use({ ...one, canvasId: third }))).not.toBe("ok");
  await world.leases.releaseAll(runId);
  expect([canvasId, second, third].map((id) => world.leases.isHeld(id))).toEqual([false, false, true]);
  expect(codeOf(await world.leases.use(foreign))).toBe("ok");
});

test("the newest lease of a run on a canvas counts", async () => {
  const world = await openWorld();
  const first = await acquire(world);
  accept(await world.leases.takeControl(canvasId));
  const second = await acquire(world);
  expect(second.leaseId).not.toBe(first.leaseId);
  expect(world.leases.grantOf(runId, canvasId)?.leaseId).toBe(second.leaseId);
  world.leases.noteWrite(second.leaseId, { revisionId: "2-x", version: 2, patchHash: "hash" });
  world.leases.noteWrite("lease_none" as LeaseId, { revisionId: "9-x", version: 9, patchHash: null });
  expect(world.leases.grant(second.leaseId)).toMatchObject({
    lastRevisionId: "2-x",
    lastWriteVersion: 2,
    lastPatchHash: "hash",
  });
  await world.clock.advance(ttlMs - 1);
  accept(await world.leases.use(second));
  expect(world.leases.status(canvasId).held?.lastRevisionId).toBe("2-x");
  const again = await acquire(world);
  expect(world.leases.grant(again.leaseId)).toMatchObject({
    lastWriteVersion: 2,
    lastPatchHash: "hash",
    lastRevisionId: "1-00000000",
  });
});
