import type { BlockId, LeaseId, RunId } from "../base/ids.ts";

/** The seed's bound: how long a lease lives without a heartbeat. */
export const leaseTtlMsDefault = 15_000;

/** A canvas's exclusive right of agents to work on it. The row lives for ever; its epoch never falls and is never reused. */
export interface Lease {
  readonly canvasId: BlockId;
  /** Rises with every lease that begins, and when one is ended by force or by a restart; 0 until the first. A renewal keeps it. */
  readonly epoch: number;
  readonly held: HeldLease | null;
}

/** A lease that somebody has, or had last: `Lease.held` stays after it ran out. */
export interface HeldLease {
  readonly leaseId: LeaseId;
  readonly holder: RunId;
  /** The holder as people know it. */
  readonly holderName: string;
  /** On the server's monotonic clock, in milliseconds; the lease is over at this instant. */
  readonly expiresAtMonotonicMs: number;
  /** Wall time of the same instant, for showing. */
  readonly expiresAt: number;
  readonly revisionIdAtCheckout: string;
  /** The last revision that the holder was shown or made under this lease: the base of a patch that names none. */
  readonly lastRevisionId: string;
}
