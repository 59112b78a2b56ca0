import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, LeaseId, RunId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import type { HeldLease } from "../../core/lease/types.ts";
import type { LeaseWrite, StoreWrite } from "../../core/port/store.ts";
import type { ShownView } from "./shown-views.ts";

/** Who shows which lease for which canvas. */
export interface LeaseUse {
  readonly canvasId: BlockId;
  readonly leaseId: LeaseId;
  readonly runId: RunId;
}

/** A lease as its holder got it, with what it has seen and done under it since. */
export interface LeaseGrant {
  readonly leaseId: LeaseId;
  readonly canvasId: BlockId;
  readonly runId: RunId;
  readonly epoch: number;
  /** UTC milliseconds. */
  readonly since: number;
  /** The last revision returned under this lease: the base of a patch that names none. */
  readonly lastRevisionId: string;
  /** The block's version that the lease's own last write made; null before its first. */
  readonly lastWriteVersion: number | null;
  /** The patch of that write, hashed: the same one sent again by mistake is not applied twice. */
  readonly lastPatchHash: string | null;
  /**
   * Texts that the holder was shown of a canvas whose edits are reviewed: they are the canvas's with what it has suggested,
   * so no version of the canvas says them. Oldest first; none older than its own last suggestion.
   */
  readonly views: readonly ShownView[];
  /** Its holder checked it in: it proves nothing from then on, whoever has the canvas. */
  readonly givenBack: boolean;
}

/** A write that was made under a lease. */
export interface LeasedWrite {
  readonly revisionId: string;
  readonly version: number;
  readonly patchHash: string | null;
}

/** How a canvas stands, for those who watch it: nobody holds it once the lease ran out. */
export interface LeaseStanding {
  readonly canvasId: BlockId;
  readonly epoch: number;
  readonly held: ShownLease | null;
}

export interface ShownLease extends HeldLease {
  /** When its holder checked the canvas out, and when it was last seen at work. UTC milliseconds. */
  readonly since: number;
  readonly renewedAt: number;
}

/** The leases that runs hold, for the conversations whose runs they are. */
export interface RunLeases {
  /** Renews the leases of a run that shows activity. Cheap: called for every part of a stream. */
  heartbeat(runId: RunId): void;
  /** Returns the writes that end these runs' leases, for the transaction of the person's act; empty when they hold none. */
  preemptWrites(runIds: readonly RunId[]): readonly LeaseWrite[];
  /** Called after that transaction is committed: forgets those leases, tells watchers, ends any lease taken meanwhile. */
  preempted(runIds: readonly RunId[]): Promise<void>;
  /** Releases the leases of a run whose turn is over and forgets its lease ids. Harmless when it holds none. */
  releaseAll(runId: RunId): Promise<void>;
}

/** Every lease of this server. What core/lease decides is written to the store before it counts. */
export interface LeaseKeeper extends RunLeases {
  standing(canvasId: BlockId): LeaseStanding;
  isHeld(canvasId: BlockId): boolean;
  /** Tells of every lease that begins, is renewed, or ends; by running out too. */
  onChange(listener: (standing: LeaseStanding) => void): () => void;

  acquire(request: {
    readonly canvasId: BlockId;
    readonly runId: RunId;
    readonly holderName: string;
    readonly revisionId: string;
  }): Promise<Result<HeldLease & { readonly epoch: number }, Refusal>>;
  /** Whether the lease gives the right to read and write now; keeps it alive when it does, since its holder is at work. */
  use(use: LeaseUse): Promise<Result<LeaseGrant, Refusal>>;
  /** Renews at once, whatever was renewed just before. */
  renew(use: LeaseUse): Promise<Result<HeldLease & { readonly epoch: number }, Refusal>>;
  /** The condition under which a write belongs into the store: the grant still holds then. */
  guard(grant: LeaseGrant): StoreWrite;
  /** The holder was shown this revision. */
  noteRevision(leaseId: LeaseId, revisionId: string): void;
  noteWrite(leaseId: LeaseId, write: LeasedWrite): void;
  /** The holder was shown this text of a canvas whose edits are reviewed. */
  noteView(leaseId: LeaseId, view: ShownView): void;
  /** The holder suggested an edit, after which it sees this text. */
  noteSuggested(leaseId: LeaseId, made: { readonly view: ShownView; readonly patchHash: string | null }): void;
  /** Whether a person ended the lease, as far as anybody knows; not so where it ran out and another agent came. */
  wasTaken(grant: LeaseGrant): Promise<boolean>;
  /** A lease of this turn, whatever has become of it. */
  grant(leaseId: LeaseId): LeaseGrant | undefined;
  /** The grant of the run's lease on a canvas, whatever has become of it; undefined when it took none this turn. */
  grantOf(runId: RunId, canvasId: BlockId): LeaseGrant | undefined;
  /** Harmless when the lease is over. */
  release(use: LeaseUse): Promise<Result<void, Refusal>>;
  /** Ends whatever lease there is on a canvas; gives the run that held it. */
  takeControl(canvasId: BlockId): Promise<Result<{ readonly epoch: number; readonly runId: RunId | null }, Refusal>>;

  close(): void;
}
