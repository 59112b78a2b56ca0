import { expect, test } from "vitest";
import { torture } from "../../../test/scale.ts";
import { assert } from "../base/assert.ts";
import type { BlockId, LeaseId, RunId } from "../base/ids.ts";
import { checkLease, freeLease, transition, type LeaseClaim } from "./transition.ts";
import type { Lease } from "./types.ts";

/**
 * Explores every state that two agents, a person, a network that loses and repeats requests, a clock and a crashing server
 * can bring a lease into, within small bounds, and checks the invariants of SPEC.md against an independent record of rights.
 */

type Agent = "ann" | "bob";
const agents: readonly Agent[] = ["ann", "bob"];
const ttlMs = 2;

/** The bounds of the exploration: instants, leases granted, actions of a person, crashes, requests in flight at once. */
interface Bounds {
  readonly ticks: number;
  readonly granted: number;
  readonly preempted: number;
  readonly restarted: number;
  readonly delayed: number;
}

/** The functions under exploration. */
interface Machine {
  readonly checkLease: typeof checkLease;
  readonly transition: typeof transition;
}

interface Exploration {
  readonly bounds: Bounds;
  readonly machine: Machine;
}

type Request =
  | { readonly type: "check-out"; readonly agent: Agent }
  | { readonly type: "write" | "renew"; readonly agent: Agent; readonly claim: LeaseClaim }
  | { readonly type: "check-in"; readonly leaseId: LeaseId };

/** The rights granted so far, recorded without reading the lease. */
interface Right {
  readonly leaseId: LeaseId;
  readonly holder: Agent;
  readonly epoch: number;
  readonly until: number;
  readonly ended: "no" | "given-back" | "by-force";
}

interface World {
  readonly lease: Lease;
  readonly now: number;
  /** Delayed requests, which arrive in any order; other requests arrive in the order they were sent. */
  readonly delayed: readonly Request[];
  readonly known: Readonly<Record<Agent, LeaseClaim | null>>;
  readonly rights: readonly Right[];
  readonly preempted: number;
  readonly restarted: number;
}

const start: World = {
  lease: freeLease("canvas" as BlockId),
  now: 0,
  delayed: [],
  known: { ann: null, bob: null },
  rights: [],
  preempted: 0,
  restarted: 0,
};

function rightNow(world: World): Right | undefined {
  const alive = world.rights.filter((right) => right.ended === "no" && world.now < right.until);
  assert(alive.length <= 1, "never two holders");
  return alive[0];
}

function endRights(world: World, how: Right["ended"], which: (right: Right) => boolean): readonly Right[] {
  return world.rights.map((right) => (right.ended === "no" && which(right) ? { ...right, ended: how } : right));
}

function instant(now: number): { readonly monotonicMs: number; readonly wallMs: number } {
  return { monotonicMs: now, wallMs: now };
}

/** Delivers a request; its answer may be lost. */
function arrive(world: World, request: Request, exploration: Exploration): readonly World[] {
  const { machine } = exploration;
  switch (request.type) {
    case "check-out":
      return checkOut(world, request.agent, exploration);
    case "write": {
      const right = rightNow(world);
      const entitled =
        right !== undefined &&
        right.leaseId === request.claim.leaseId &&
        right.holder === request.agent &&
        right.epoch === request.claim.epoch;
      const verdict = machine.checkLease(world.lease, request.claim, world.now);
      assert(verdict.ok === entitled, "a write is accepted exactly when its lease is in force");
      const claimed = world.rights.find((one) => one.leaseId === request.claim.leaseId);
      const forced = claimed?.ended === "by-force";
      assert(
        verdict.ok || !forced || verdict.error.code === "STALE_EPOCH",
        "a write under a lease that was ended by force is refused with STALE_EPOCH",
      );
      const followed = claimed !== undefined && world.rights.some((one) => one.epoch > claimed.epoch);
      assert(
        verdict.ok ||
          claimed?.ended !== "given-back" ||
          verdict.error.code === (followed ? "STALE_EPOCH" : "LOCK_NOT_OWNED"),
        "a returned lease is not owned, and stale once another lease has begun",
      );
      return [world];
    }
    case "renew": {
      const event = { type: "renewed", claim: request.claim, at: instant(world.now), ttlMs } as const;
      const next = machine.transition(world.lease, event);
      const right = rightNow(world);
      assert(
        next.ok ===
          (right !== undefined && right.leaseId === request.claim.leaseId && right.epoch === request.claim.epoch),
        "a lease is renewed exactly when it is in force",
      );
      if (!next.ok) return [world];
      assert(next.value.epoch === world.lease.epoch, "a renewal keeps the epoch");
      const rights = world.rights.map((one) => (one === right ? { ...one, until: world.now + ttlMs } : one));
      return [{ ...world, lease: next.value, rights }];
    }
    case "check-in": {
      const next = machine.transition(world.lease, { type: "checked-in", leaseId: request.leaseId });
      assert(next.ok, "a check-in always succeeds");
      return [
        {
          ...world,
          lease: next.value,
          rights: endRights(world, "given-back", (right) => right.leaseId === request.leaseId),
        },
      ];
    }
  }
}

function checkOut(world: World, agent: Agent, { bounds, machine }: Exploration): readonly World[] {
  const right = rightNow(world);
  if (world.rights.length >= bounds.granted && right?.holder !== agent) return [];
  const event = {
    type: "checked-out",
    holder: agent as string as RunId,
    holderName: agent,
    leaseId: `lease-${world.rights.length}` as LeaseId,
    revisionId: "1-00000000",
    at: instant(world.now),
    ttlMs,
  } as const;
  const next = machine.transition(world.lease, event);
  assert(
    next.ok === (right === undefined || right.holder === agent),
    "a check-out succeeds exactly when no other run holds the lease",
  );
  if (!next.ok) return [world];
  const { held, epoch } = next.value;
  assert(held !== null && held.holder === event.holder, "the run that checks out is the holder");
  for (const former of world.rights) {
    const again = former.leaseId === held.leaseId;
    assert(again ? former.epoch === epoch : former.epoch < epoch, "every lease has a later epoch than all before");
  }
  const granted: Right = { leaseId: held.leaseId, holder: agent, epoch, until: world.now + ttlMs, ended: "no" };
  const rights = [...world.rights.filter((former) => former.leaseId !== held.leaseId), granted];
  const after: World = { ...world, lease: next.value, rights };
  const claim: LeaseClaim = { leaseId: held.leaseId, holder: event.holder, epoch };
  return [after, { ...after, known: { ...world.known, [agent]: claim } }];
}

/** The requests an agent may send next, including one with a former claim and one with the other agent's claim. */
function requestsOf(world: World, agent: Agent): readonly Request[] {
  const requests: Request[] = [{ type: "check-out", agent }];
  const own = world.known[agent];
  if (own !== null) {
    requests.push(
      { type: "write", agent, claim: own },
      { type: "renew", agent, claim: own },
      { type: "check-in", leaseId: own.leaseId },
    );
  }
  const other = world.known[agent === "ann" ? "bob" : "ann"];
  if (other !== null) requests.push({ type: "write", agent, claim: { ...other, holder: agent as string as RunId } });
  return requests;
}

function successors(world: World, exploration: Exploration): readonly World[] {
  const { bounds, machine } = exploration;
  const worlds: World[] = [];
  for (const [at, request] of world.delayed.entries()) {
    // The request is lost, or arrives for the last time, or arrives and will arrive again.
    const delayed = world.delayed.toSpliced(at, 1);
    worlds.push({ ...world, delayed });
    for (const after of arrive(world, request, exploration)) worlds.push({ ...after, delayed }, after);
  }
  for (const request of agents.flatMap((agent) => requestsOf(world, agent))) {
    worlds.push(...arrive(world, request, exploration));
    if (world.delayed.length < bounds.delayed) worlds.push({ ...world, delayed: [...world.delayed, request] });
  }
  if (world.now < bounds.ticks) worlds.push({ ...world, now: world.now + 1 });
  if (world.preempted < bounds.preempted) {
    worlds.push(preempt(world, null, machine), preempt(world, "ann", machine));
  }
  if (world.restarted < bounds.restarted) {
    const next = machine.transition(world.lease, { type: "restarted" });
    assert(next.ok, "a restart always succeeds");
    // The clock restarts from zero: instants of the old clock must have no effect.
    worlds.push({
      ...world,
      lease: next.value,
      now: 0,
      rights: endRights(world, "by-force", () => true),
      restarted: world.restarted + 1,
    });
  }
  return worlds;
}

function preempt(world: World, whom: Agent | null, machine: Machine): World {
  const holders = whom === null ? null : [whom as string as RunId];
  const next = machine.transition(world.lease, { type: "preempted", holders });
  assert(next.ok, "preemption by a person always succeeds");
  const right = rightNow(world);
  const meant = right !== undefined && (whom === null || right.holder === whom);
  assert(
    !meant || (next.value.held === null && next.value.epoch > right.epoch),
    "the lease has ended and the epoch has risen",
  );
  const rights = endRights(world, "by-force", (one) => whom === null || one.holder === whom);
  return { ...world, lease: next.value, rights, preempted: world.preempted + 1 };
}

/**
 * Returns equal keys for worlds with the same possible futures: the end of an expired right and the order of sent requests
 * do not matter.
 */
function keyOf({ lease, now, delayed, known, rights, preempted, restarted }: World): string {
  const held =
    lease.held === null ? "" : `${lease.held.leaseId} ${lease.held.holder} ${lease.held.expiresAtMonotonicMs}`;
  const rightKeys = rights.map(({ leaseId, holder, epoch, until, ended }) => {
    return `${leaseId} ${holder} ${epoch} ${ended !== "no" || until <= now ? 0 : until} ${ended}`;
  });
  const late = delayed.map(requestKey).toSorted();
  const facts = [lease.epoch, held, now, claimKey(known.ann), claimKey(known.bob), preempted, restarted];
  return [...facts, ...rightKeys, ...late].join("|");
}

function requestKey(request: Request): string {
  switch (request.type) {
    case "check-out":
      return `out ${request.agent}`;
    case "check-in":
      return `in ${request.leaseId}`;
    case "write":
    case "renew":
      return `${request.type} ${request.agent} ${claimKey(request.claim)}`;
  }
}

function claimKey(claim: LeaseClaim | null): string {
  return claim === null ? "" : `${claim.leaseId} ${claim.holder} ${claim.epoch}`;
}

const production: Machine = { checkLease, transition };

/** Visits every reachable world and returns their number. */
function explore(bounds: Bounds, machine = production): number {
  const seen = new Set([keyOf(start)]);
  const queue = [start];
  for (let world = queue.pop(); world !== undefined; world = queue.pop()) {
    for (const next of successors(world, { bounds, machine })) {
      assert(next.lease.epoch >= world.lease.epoch, "the epoch never falls");
      const key = keyOf(next);
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push(next);
    }
  }
  return seen.size;
}

const small: Bounds = { ticks: 2, granted: 2, preempted: 1, restarted: 1, delayed: 2 };
const everyDay: readonly Bounds[] = [{ ticks: 3, granted: 3, preempted: 1, restarted: 1, delayed: 1 }, small];
/** More than a million worlds, in about 20 s. */
const wide: Bounds = { ticks: 3, granted: 3, preempted: 2, restarted: 1, delayed: 2 };

test.each(torture > 1 ? [...everyDay, wide] : everyDay)(
  "R6 in every reachable state a write is accepted exactly when its lease is in force, and two runs never hold it at once ($granted leases, $delayed late)",
  (bounds) => expect(explore(bounds)).toBeGreaterThan(30_000),
  60_000,
);

test.each<[string, Partial<Machine>]>([
  ["the epoch check", { checkLease: (lease, claim, at) => checkLease(lease, { ...claim, epoch: lease.epoch }, at) }],
  ["the expiry check", { checkLease: (lease, claim) => checkLease(lease, claim, Number.NEGATIVE_INFINITY) }],
  [
    "keeping the epoch across a crash",
    {
      transition: (lease, event) =>
        event.type === "restarted" ? { ok: true, value: freeLease(lease.canvasId) } : transition(lease, event),
    },
  ],
  [
    "raising the epoch after a crash",
    {
      transition: (lease, event) =>
        event.type === "restarted" ? { ok: true, value: { ...lease, held: null } } : transition(lease, event),
    },
  ],
])("the exploration fails for a lease machine without %s", (_what, broken) => {
  expect(() => explore(small, { ...production, ...broken })).toThrow(/./);
});
