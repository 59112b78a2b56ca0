import type { BlockId, LeaseId, RunId } from "../base/ids.ts";

/** Milliseconds a lease lives without a sign of life; the limit of the founding design. */
export const leaseTtlMsDefault = 15_000;

/**
 * Milliseconds a lease of an outside agent lives: its server hears nothing of it between two calls, while its model thinks.
 * People end it at once all the same.
 */
export const outsideLeaseTtlMsDefault = 120_000;

/**
 * The exclusive right of agents to work on a canvas. The row is never deleted; its epoch never falls and is never reused.
 */
export interface Lease {
  readonly canvasId: BlockId;
  /**
   * Rises when a lease begins and when one is ended by force or by a restart; 0 before the first lease. A renewal keeps it.
   */
  readonly epoch: number;
  readonly held: HeldLease | null;
}

/** A lease of the current or the last holder: `Lease.held` remains after the lease has expired. */
export interface HeldLease {
  readonly leaseId: LeaseId;
  readonly holder: RunId;
  /** The holder's name for people. */
  readonly holderName: string;
  /** The instant at which the lease ends, on the server's monotonic clock, in milliseconds. */
  readonly expiresAtMonotonicMs: number;
  /** The same instant in wall time, for display. */
  readonly expiresAt: number;
  readonly revisionIdAtCheckout: string;
  /** The last revision that the holder saw or created under this lease: the base of a patch that names none. */
  readonly lastRevisionId: string;
}
