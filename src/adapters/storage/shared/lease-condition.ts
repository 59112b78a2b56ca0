import type { LeaseId, RunId } from "../../../core/base/ids.ts";
import type { Lease } from "../../../core/lease/types.ts";

export interface LeaseClaim {
  readonly leaseId: LeaseId;
  readonly epoch: number;
  readonly monotonicMs: number;
  readonly holder: RunId;
}

/** Returns why a claim on a stored lease fails; null when it holds. The order of the checks is part of the contract. */
export function refusedClaim(
  stored: Lease | null,
  claim: LeaseClaim,
): "STALE_EPOCH" | "LEASE_EXPIRED" | "LOCK_NOT_OWNED" | null {
  if (stored === null) return "LOCK_NOT_OWNED";
  if (stored.epoch !== claim.epoch) return "STALE_EPOCH";
  if (stored.held === null || stored.held.leaseId !== claim.leaseId) return "LOCK_NOT_OWNED";
  if (stored.held.expiresAtMonotonicMs <= claim.monotonicMs) return "LEASE_EXPIRED";
  return stored.held.holder === claim.holder ? null : "LOCK_NOT_OWNED";
}

/**
 * Returns why a lease cannot be acquired so; null when it can. A new lease has a later epoch than any before; its holder
 * may acquire it again with the same id and epoch.
 */
export function refusedAcquisition(
  stored: Lease | null,
  wanted: LeaseClaim,
): "LOCK_NOT_AVAILABLE" | "STALE_EPOCH" | null {
  if (stored === null) return null;
  if (stored.held === null || stored.held.expiresAtMonotonicMs <= wanted.monotonicMs) {
    return wanted.epoch > stored.epoch ? null : "STALE_EPOCH";
  }
  return refusedClaim(stored, wanted) === null ? null : "LOCK_NOT_AVAILABLE";
}

/** The lease after a person took control. */
export function preempted(
  stored: Lease | null,
  write: { readonly canvasId: Lease["canvasId"]; readonly epoch: number },
): Lease {
  const floor = stored === null ? 0 : stored.held === null ? stored.epoch : stored.epoch + 1;
  return { canvasId: write.canvasId, epoch: Math.max(floor, write.epoch), held: null };
}
