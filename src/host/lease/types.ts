import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, DraftId, LeaseId, RunId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import type { HeldLease } from "../../core/lease/types.ts";
import type { LeaseWrite, StoreWrite } from "../../core/port/store.ts";
import type { ShownView } from "./shown-views.ts";

/** The use of a lease id: the run that uses it, and the canvas. */
export interface LeaseUse {
  readonly canvasId: BlockId;
  readonly leaseId: LeaseId;
  readonly runId: RunId;
}

/** A lease as its holder received it, and what the holder has read and written under it since. */
export interface LeaseGrant {
  readonly leaseId: LeaseId;
  readonly canvasId: BlockId;
  /** The draft of the canvas that it is about; null for the text that everybody shares. */
  readonly draftId: DraftId | null;
  readonly runId: RunId;
  readonly epoch: number;
  /** UTC milliseconds. */
  readonly since: number;
  /** The last revision returned under this lease: the base of a patch that names no base. */
  readonly lastRevisionId: string;
  /** The block version that the last write under this lease made; null before the first. */
  readonly lastWriteVersion: number | null;
  /** Hash of the patch of that write: a patch sent again by mistake is not applied twice. */
  readonly lastPatchHash: string | null;
  /**
   * Texts that the holder was shown of a canvas under review: the canvas's text with the holder's suggestions applied, which
   * no version of the canvas equals. Oldest first; none older than the holder's last suggestion.
   */
  readonly views: readonly ShownView[];
  /** The holder checked the canvas in: the lease id proves nothing from then on. */
  readonly givenBack: boolean;
}

/** A write that was made under a lease. */
export interface LeasedWrite {
  readonly revisionId: string;
  readonly version: number;
  readonly patchHash: string | null;
}

/** The lease status of a canvas, as sent to watchers: an expired lease has no holder. */
export interface LeaseStatus {
  readonly canvasId: BlockId;
  readonly epoch: number;
  readonly held: ShownLease | null;
}

export interface ShownLease extends HeldLease {
  /** When the holder checked the canvas out, and when it was last active. UTC milliseconds. */
  readonly since: number;
  readonly renewedAt: number;
}

/** The reads and writes under leases. */
export interface LeaseUsage {
  readonly count: number;
  /** When the last one was. Monotonic milliseconds. */
  readonly lastAt: number;
}

/** The leases of runs, as their conversations use them. */
export interface RunLeases {
  /** Returns a lease of this turn, also after it ended. */
  grant(leaseId: LeaseId): LeaseGrant | undefined;
  /** Renews the leases of an active run. Cheap: called for every part of a stream. */
  heartbeat(runId: RunId): void;
  /** Returns how the run has used leases in this turn; null while it holds none. */
  usage(runId: RunId): LeaseUsage | null;
  /**
   * Returns the writes that end the leases of these runs, for the transaction of the person's act; empty when the runs hold
   * none.
   */
  preemptWrites(runIds: readonly RunId[]): readonly LeaseWrite[];
  /** Deletes those leases after that transaction is committed, notifies watchers, and ends any lease taken meanwhile. */
  preempted(runIds: readonly RunId[]): Promise<void>;
  /** Releases the leases of a run whose turn is over and deletes its lease ids. Harmless when the run holds none. */
  releaseAll(runId: RunId): Promise<void>;
}

/** Every lease of this server. A decision of core/lease is stored before it takes effect. */
export interface LeaseKeeper extends RunLeases {
  status(canvasId: BlockId): LeaseStatus;
  isHeld(canvasId: BlockId): boolean;
  /** Notifies `listener` of every lease that begins, is renewed or ends, also by expiring. */
  onChange(listener: (status: LeaseStatus) => void): () => void;

  acquire(request: {
    readonly canvasId: BlockId;
    /** Each draft of a canvas has leases of its own. */
    readonly draftId?: DraftId | null;
    readonly runId: RunId;
    readonly holderName: string;
    readonly revisionId: string;
  }): Promise<Result<HeldLease & { readonly epoch: number }, Refusal>>;
  /** Checks that the lease gives the right to read and write now, and renews it, since its holder is active. */
  use(use: LeaseUse): Promise<Result<LeaseGrant, Refusal>>;
  /** Renews at once, however recent the last renewal. */
  renew(use: LeaseUse): Promise<Result<HeldLease & { readonly epoch: number }, Refusal>>;
  /** Returns the write that is refused in a transaction unless the grant is still valid there. */
  guard(grant: LeaseGrant): StoreWrite;
  /** Records that the holder was shown this revision. */
  noteRevision(leaseId: LeaseId, revisionId: string): void;
  noteWrite(leaseId: LeaseId, write: LeasedWrite): void;
  /** Records that the holder was shown this text of a canvas whose edits are reviewed. */
  noteView(leaseId: LeaseId, view: ShownView): void;
  /** Records that the holder suggested an edit, and the text that it sees after it. */
  noteSuggested(leaseId: LeaseId, made: { readonly view: ShownView; readonly patchHash: string | null }): void;
  /** Whether a person ended the lease, as far as is known; false where it expired and another agent took the canvas. */
  wasTaken(grant: LeaseGrant): Promise<boolean>;
  /** Returns the grant of the run's lease on a canvas, also after it ended; undefined when the run took none this turn. */
  grantOf(runId: RunId, canvasId: BlockId): LeaseGrant | undefined;
  /** Releases a lease. Harmless when it is over. */
  release(use: LeaseUse): Promise<Result<void, Refusal>>;
  /** Ends any lease on a canvas; returns the run that held it. */
  takeControl(canvasId: BlockId): Promise<Result<{ readonly epoch: number; readonly runId: RunId | null }, Refusal>>;
  /** Ends the leases of all runs that match, as Take control does: for the agents of a token that ended. */
  endWhere(matches: (runId: RunId) => boolean): Promise<void>;

  close(): void;
}
