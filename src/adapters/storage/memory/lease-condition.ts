import type { LeaseId, RunId } from "../../../core/base/ids.ts";
import type { Lease } from "../../../core/lease/types.ts";

export interface LeaseClaim {
  readonly leaseId: LeaseId;
  readonly epoch: number;
  readonly monotonicMs: number;
  /** Left out where the lease id alone proves the right. */
  readonly holder?: RunId;
}

/** Why a claim on a stored lease does not hold; null when it does. The order of the checks is part of the contract. */
export function refusedClaim(
  stored: Lease | null,
  claim: LeaseClaim,
): "STALE_EPOCH" | "LEASE_EXPIRED" | "LOCK_NOT_OWNED" | null {
  if (stored === null) return "LOCK_NOT_OWNED";
  if (stored.epoch !== claim.epoch) return "STALE_EPOCH";
  if (stored.held === null) return "LOCK_NOT_OWNED";
  if (stored.held.expiresAtMonotonicMs <= claim.monotonicMs) return "LEASE_EXPIRED";
  if (stored.held.leaseId !== claim.leaseId) return "LOCK_NOT_OWNED";
  if (claim.holder !== undefined && stored.held.holder !== claim.holder) return "LOCK_NOT_OWNED";
  return null;
}

/** Why a new lease at `epoch` cannot begin; null when it can. An epoch that was handed out is never handed out again. */
export function refusedAcquisition(
  stored: Lease | null,
  epoch: number,
  monotonicMs: number,
): "LOCK_NOT_AVAILABLE" | "STALE_EPOCH" | null {
  if (stored === null) return null;
  if (stored.held !== null && stored.held.expiresAtMonotonicMs > monotonicMs) return "LOCK_NOT_AVAILABLE";
  return epoch > stored.epoch ? null : "STALE_EPOCH";
}

/** What is left after a person took control. */
export function preempted(
  stored: Lease | null,
  write: { readonly canvasId: Lease["canvasId"]; readonly epoch: number },
): Lease {
  const floor = stored === null ? 0 : stored.held === null ? stored.epoch : stored.epoch + 1;
  return { canvasId: write.canvasId, epoch: Math.max(floor, write.epoch), held: null };
}
