import { describe, expect, test } from "vitest";
import { must } from "../base/assert.ts";
import type { BlockId, LeaseId, RunId } from "../base/ids.ts";
import { staleBase } from "./base-revision.ts";
import { checkLease, freeLease, holderAt, transition, type LeaseClaim, type LeaseEvent } from "./transition.ts";
import { leaseTtlMsDefault, type Lease } from "./types.ts";

const canvasId = "doc/1/1" as BlockId;
const ann = "run-ann" as RunId;
const bob = "run-bob" as RunId;
const annLease = "lease-ann" as LeaseId;
const bobLease = "lease-bob" as LeaseId;
const ttlMs = leaseTtlMsDefault;

function at(monotonicMs: number): { monotonicMs: number; wallMs: number } {
  return { monotonicMs, wallMs: 1_000_000 + monotonicMs };
}

function checkedOut(who: "ann" | "bob", monotonicMs: number): Extract<LeaseEvent, { type: "checked-out" }> {
  return {
    type: "checked-out",
    holder: who === "ann" ? ann : bob,
    holderName: who,
    leaseId: who === "ann" ? annLease : bobLease,
    revisionId: "3-aaaaaaaa",
    at: at(monotonicMs),
    ttlMs,
  };
}

function after(lease: Lease, ...events: readonly LeaseEvent[]): Lease {
  return events.reduce((current, event) => {
    const next = transition(current, event);
    return next.ok ? next.value : current;
  }, lease);
}

/** The states from ann's point of view, at 20 s. */
const states = {
  free: freeLease(canvasId),
  "returned by ann": after(freeLease(canvasId), checkedOut("ann", 10_000), { type: "checked-in", leaseId: annLease }),
  "held by ann": after(freeLease(canvasId), checkedOut("ann", 10_000)),
  "held by bob": after(freeLease(canvasId), checkedOut("bob", 10_000)),
  "ann's expired": after(freeLease(canvasId), checkedOut("ann", 5_000)),
  "bob's expired": after(freeLease(canvasId), checkedOut("bob", 5_000)),
} as const satisfies Record<string, Lease>;

const claim: LeaseClaim = { leaseId: annLease, holder: ann, epoch: 1 };

const events = {
  "ann checks out": checkedOut("ann", 20_000),
  "ann works": { type: "renewed", claim, at: at(20_000), ttlMs },
  "ann sees a revision": { type: "revision-shown", claim, at: at(20_000), revisionId: "4-bbbbbbbb" },
  "ann checks in": { type: "checked-in", leaseId: annLease },
  "a person writes to ann": { type: "preempted", holders: [ann] },
  "a person takes control": { type: "preempted", holders: null },
  "the server restarts": { type: "restarted" },
} as const satisfies Record<string, LeaseEvent>;

const table: Record<keyof typeof states, Record<keyof typeof events, string>> = {
  free: {
    "ann checks out": "held by run-ann until 35000, epoch 1",
    // An epoch that the canvas never had is as stale as an old one.
    "ann works": "STALE_EPOCH",
    "ann sees a revision": "STALE_EPOCH",
    "ann checks in": "unchanged",
    "a person writes to ann": "unchanged",
    "a person takes control": "unchanged",
    "the server restarts": "unchanged",
  },
  "returned by ann": {
    "ann checks out": "held by run-ann until 35000, epoch 2",
    "ann works": "LOCK_NOT_OWNED",
    "ann sees a revision": "LOCK_NOT_OWNED",
    "ann checks in": "unchanged",
    "a person writes to ann": "unchanged",
    "a person takes control": "unchanged",
    "the server restarts": "unchanged",
  },
  "held by ann": {
    "ann checks out": "held by run-ann until 35000, epoch 1",
    "ann works": "held by run-ann until 35000, epoch 1",
    "ann sees a revision": "held by run-ann until 25000, epoch 1",
    "ann checks in": "free, epoch 1",
    "a person writes to ann": "free, epoch 2",
    "a person takes control": "free, epoch 2",
    "the server restarts": "free, epoch 2",
  },
  "held by bob": {
    "ann checks out": "LOCK_NOT_AVAILABLE",
    "ann works": "LOCK_NOT_OWNED",
    "ann sees a revision": "LOCK_NOT_OWNED",
    "ann checks in": "unchanged",
    "a person writes to ann": "unchanged",
    "a person takes control": "free, epoch 2",
    "the server restarts": "free, epoch 2",
  },
  "ann's expired": {
    "ann checks out": "held by run-ann until 35000, epoch 2",
    "ann works": "LEASE_EXPIRED",
    "ann sees a revision": "LEASE_EXPIRED",
    "ann checks in": "free, epoch 1",
    "a person writes to ann": "free, epoch 2",
    "a person takes control": "free, epoch 2",
    "the server restarts": "free, epoch 2",
  },
  "bob's expired": {
    "ann checks out": "held by run-ann until 35000, epoch 2",
    "ann works": "LOCK_NOT_OWNED",
    "ann sees a revision": "LOCK_NOT_OWNED",
    "ann checks in": "unchanged",
    "a person writes to ann": "unchanged",
    "a person takes control": "free, epoch 2",
    "the server restarts": "free, epoch 2",
  },
};

function shown(before: Lease, event: LeaseEvent): string {
  const next = transition(before, event);
  if (!next.ok) return next.error.code;
  if (next.value === before) return "unchanged";
  const { held, epoch } = next.value;
  return held === null
    ? `free, epoch ${epoch}`
    : `held by ${held.holder} until ${held.expiresAtMonotonicMs}, epoch ${epoch}`;
}

describe.each(Object.entries(states))("a lease %s", (state, lease) => {
  test.each(Object.entries(events))("when %s", (event, happened) => {
    expect(shown(lease, happened)).toBe(table[state as keyof typeof states][event as keyof typeof events]);
  });
});

describe("checkLease", () => {
  const held = states["held by ann"];

  test.each<readonly [name: string, change: Partial<LeaseClaim>, now: number, expected: string]>([
    ["accepts the holder before the lease expires", {}, 24_999, "ok"],
    ["refuses the holder at the instant the lease expires", {}, 25_000, "LEASE_EXPIRED"],
    ["C-06 refuses a holder whose epoch a person has ended", { epoch: 0 }, 20_000, "STALE_EPOCH"],
    ["refuses an expired lease of a stale epoch as stale", { epoch: 0 }, 30_000, "STALE_EPOCH"],
    ["C-03 refuses another lease", { leaseId: bobLease }, 20_000, "LOCK_NOT_OWNED"],
    ["C-03 refuses another run under the holder's lease", { holder: bob }, 20_000, "LOCK_NOT_OWNED"],
    ["C-03 refuses a lease that was never granted", { leaseId: bobLease, epoch: null }, 20_000, "LOCK_NOT_OWNED"],
    ["refuses another run under an expired lease as expired", { holder: bob }, 25_000, "LEASE_EXPIRED"],
  ])("of %s", (_name, change, now, expected) => {
    const result = checkLease(held, { ...claim, ...change }, now);
    expect(result.ok ? "ok" : result.error.code).toBe(expected);
  });

  test("a late write under an expired lease names the holder of the next lease", () => {
    const next = after(held, checkedOut("bob", 25_000));
    expect(next).toMatchObject({ epoch: 2, held: { holder: bob } });
    const late = checkLease(next, claim, 25_001);
    expect(late).toMatchObject({ ok: false, error: { code: "STALE_EPOCH", details: { epoch: 1, canvas_epoch: 2 } } });
    expect(!late.ok && late.error.message).toContain("bob");
  });

  test("a returned lease is LOCK_NOT_OWNED, and STALE_EPOCH once another lease has begun", () => {
    const returned = after(held, { type: "checked-in", leaseId: annLease });
    expect(checkLease(returned, claim, 20_000)).toMatchObject({ error: { code: "LOCK_NOT_OWNED" } });
    const next = after(returned, checkedOut("bob", 20_000));
    expect(next).toMatchObject({ epoch: 2, held: { holder: bob } });
    expect(checkLease(next, claim, 20_000)).toMatchObject({ error: { code: "STALE_EPOCH" } });
    // A holder that returned its lease no longer claims its epoch.
    expect(checkLease(next, { ...claim, epoch: null }, 20_000)).toMatchObject({ error: { code: "LOCK_NOT_OWNED" } });
  });
});

test("C-01 a check-out grants a lease of 15 seconds at the revision it read", () => {
  expect(states["held by ann"]).toEqual({
    canvasId,
    epoch: 1,
    held: {
      leaseId: annLease,
      holder: ann,
      holderName: "ann",
      expiresAtMonotonicMs: 25_000,
      expiresAt: 1_025_000,
      revisionIdAtCheckout: "3-aaaaaaaa",
      lastRevisionId: "3-aaaaaaaa",
    },
  });
});

test("C-02 a second check-out is refused with the holder and the end of its lease", () => {
  expect(transition(states["held by bob"], checkedOut("ann", 20_000))).toMatchObject({
    error: { code: "LOCK_NOT_AVAILABLE", details: { holder: "bob", expires_at: 1_025_000 } },
  });
});

test("C-05 a holder renewed every ten seconds never loses its lease", () => {
  let lease: Lease = states["held by ann"];
  for (let now = 20_000; now <= 320_000; now += 10_000) {
    const next = transition(lease, { type: "renewed", claim, at: at(now), ttlMs });
    lease = must(next.ok ? next.value : undefined, "renewed in time");
  }
  expect(holderAt(lease, 330_000)?.holder).toBe(ann);
  expect(holderAt(lease, 335_000)).toBeNull();
});

test("C-08 a second check-in changes nothing", () => {
  const once = after(states["held by ann"], { type: "checked-in", leaseId: annLease });
  expect(transition(once, { type: "checked-in", leaseId: annLease })).toEqual({ ok: true, value: once });
});

test("a holder that checks out again keeps its lease, renewed", () => {
  const again = transition(states["held by ann"], { ...checkedOut("ann", 20_000), leaseId: bobLease });
  expect(again).toMatchObject({
    ok: true,
    value: { epoch: 1, held: { leaseId: annLease, expiresAtMonotonicMs: 35_000 } },
  });
});

test.each<readonly [name: string, policy: "live" | "lease", base: number, lastWrite: number | null, stale: boolean]>([
  ["C-15 an exclusive lease refuses an older base than the current revision", "lease", 4, null, true],
  ["an exclusive lease accepts the current revision", "lease", 5, 3, false],
  ["a live canvas accepts an older base", "live", 2, null, false],
  ["a live canvas refuses a base older than the lease's own last write", "live", 2, 3, true],
  ["a live canvas accepts the lease's own last write", "live", 3, 3, false],
  ["a live canvas refuses a future revision", "live", 6, null, true],
])("%s", (_name, policy, baseVersion, lastWriteVersion, stale) => {
  const refused = staleBase({ policy, baseVersion, lastWriteVersion, currentVersion: 5 });
  expect(refused?.code).toBe(stale ? "PATCH_REJECTED" : undefined);
});
