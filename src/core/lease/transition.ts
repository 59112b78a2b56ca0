import { unreachable } from "../base/assert.ts";
import { refusal, type Refusal } from "../base/errors.ts";
import type { BlockId, LeaseId, RunId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { HeldLease, Lease } from "./types.ts";

/** An instant on both clocks: monotonic milliseconds decide, wall time is shown. */
export interface LeaseInstant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** What happens to a canvas's lease. See SPEC.md. */
export type LeaseEvent =
  | {
      readonly type: "checked-out";
      readonly holder: RunId;
      readonly holderName: string;
      /** The id of the new lease, if one begins. */
      readonly leaseId: LeaseId;
      readonly revisionId: string;
      readonly at: LeaseInstant;
      readonly ttlMs: number;
    }
  /** The server saw the holder at work. */
  | { readonly type: "renewed"; readonly claim: LeaseClaim; readonly at: LeaseInstant; readonly ttlMs: number }
  /** An answer under this lease showed or created a revision. */
  | {
      readonly type: "revision-shown";
      readonly claim: LeaseClaim;
      readonly at: LeaseInstant;
      readonly revisionId: string;
    }
  | { readonly type: "checked-in"; readonly leaseId: LeaseId }
  /** A person acted: the leases of these runs end; null for any holder (Take control). */
  | { readonly type: "preempted"; readonly holders: readonly RunId[] | null }
  /** The server restarted: no lease survives the process whose clock measured it. */
  | { readonly type: "restarted" };

/** A holder's proof of its right: the lease, and the epoch that came with it (null: unknown). */
export interface LeaseClaim {
  readonly leaseId: LeaseId;
  readonly holder: RunId;
  readonly epoch: number | null;
}

/** A canvas that was never checked out: epoch 0, which no lease ever has. */
export function freeLease(canvasId: BlockId): Lease {
  return { canvasId, epoch: 0, held: null };
}

/** Computes the lease after an event; returns the same object when nothing changes. Pure. */
export function transition(lease: Lease, event: LeaseEvent): Result<Lease, Refusal> {
  switch (event.type) {
    case "checked-out":
      return checkOut(lease, event);
    case "renewed": {
      const held = checkLease(lease, event.claim, event.at.monotonicMs);
      return held.ok ? ok({ ...lease, held: { ...held.value, ...expiry(event.at, event.ttlMs) } }) : held;
    }
    case "revision-shown": {
      const held = checkLease(lease, event.claim, event.at.monotonicMs);
      return held.ok ? ok({ ...lease, held: { ...held.value, lastRevisionId: event.revisionId } }) : held;
    }
    case "checked-in":
      return ok(lease.held?.leaseId === event.leaseId ? { ...lease, held: null } : lease);
    case "preempted": {
      const { held } = lease;
      const meant = held !== null && (event.holders === null || event.holders.includes(held.holder));
      return ok(meant ? endByForce(lease) : lease);
    }
    case "restarted":
      return ok(lease.held === null ? lease : endByForce(lease));
    default:
      return unreachable(event);
  }
}

/**
 * Whether a claim gives the right to read or write now. Checks, in this order: STALE_EPOCH (the lease was ended by force, or
 * ended and another began), LEASE_EXPIRED, LOCK_NOT_OWNED (no such lease, or another run's).
 */
export function checkLease(lease: Lease, claim: LeaseClaim, monotonicMs: number): Result<HeldLease, Refusal> {
  const { held } = lease;
  if (claim.epoch !== null && claim.epoch !== lease.epoch) {
    const facts = { lease_id: claim.leaseId, epoch: claim.epoch, canvas_epoch: lease.epoch };
    // Without a holder, a person took the canvas; with a holder, the lease may also have ended before the holder's began.
    return err(
      held === null
        ? refusal("STALE_EPOCH", facts)
        : refusal(
            "STALE_EPOCH",
            facts,
            `This lease has ended and ${held.holderName} has the canvas now, so this was not done.`,
          ),
    );
  }
  if (held !== null && held.leaseId === claim.leaseId && isOver(held, monotonicMs)) {
    return err(refusal("LEASE_EXPIRED", { lease_id: claim.leaseId, expired_at: held.expiresAt }));
  }
  if (held === null || held.leaseId !== claim.leaseId || held.holder !== claim.holder || claim.epoch === null) {
    return err(refusal("LOCK_NOT_OWNED", { lease_id: claim.leaseId }));
  }
  return ok(held);
}

/** Returns who holds the canvas at that instant, or null. */
export function holderAt(lease: Lease, monotonicMs: number): HeldLease | null {
  return lease.held === null || isOver(lease.held, monotonicMs) ? null : lease.held;
}

function checkOut(lease: Lease, event: Extract<LeaseEvent, { type: "checked-out" }>): Result<Lease, Refusal> {
  const { holder, holderName, leaseId, revisionId, at } = event;
  const current = holderAt(lease, at.monotonicMs);
  if (current !== null && current.holder !== holder) {
    return err(
      refusal(
        "LOCK_NOT_AVAILABLE",
        { holder: current.holderName, expires_at: current.expiresAt },
        `${current.holderName} is editing this canvas. Wait until its lease ends, then check out again.`,
      ),
    );
  }
  const fresh = { revisionIdAtCheckout: revisionId, lastRevisionId: revisionId, ...expiry(at, event.ttlMs) };
  // A holder that asks again, because the answer was lost, keeps its lease: it cannot wait for its own lease to end.
  if (current !== null) return ok({ ...lease, held: { ...current, ...fresh } });
  return ok({ ...lease, epoch: lease.epoch + 1, held: { leaseId, holder, holderName, ...fresh } });
}

function endByForce(lease: Lease): Lease {
  return { ...lease, epoch: lease.epoch + 1, held: null };
}

function isOver(held: HeldLease, monotonicMs: number): boolean {
  return monotonicMs >= held.expiresAtMonotonicMs;
}

function expiry(at: LeaseInstant, ttlMs: number): Pick<HeldLease, "expiresAt" | "expiresAtMonotonicMs"> {
  return { expiresAtMonotonicMs: at.monotonicMs + ttlMs, expiresAt: at.wallMs + ttlMs };
}
