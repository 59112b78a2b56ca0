import { updateBytesMax } from "../../../core/protocol/base/limits.ts";

/**
 * Which of a block's changes are kept, so that they can be undone, read again, and sent to whoever was away. Everything
 * of a unit counts that one of them is of.
 */
export interface Retention {
  /** The newest are kept, however old: a document that is opened once a year still shows and undoes its last work. */
  readonly changesMin: number;
  /**
   * What is younger is kept: a page or an agent that was connected within this time goes on from the version that it
   * has; one that comes back later takes a whole copy, and keeps what it had typed.
   */
  readonly ageMs: number;
  /**
   * No more are kept than these and an eighth, however young: a program that writes day and night fills no disk, and a
   * log is read in a moment.
   */
  readonly changesMax: number;
  /** How many go at a time: reading a log to let go of a few would cost more than keeping them. */
  readonly stepChanges: number;
}

/** Bounds of what one block takes and when the hub writes, in the units that the names end with. */
export const hubLimits = {
  /** One client's update; the wire takes no larger one. */
  updateBytesMax,
  /** Operation runs in one client's update. */
  updateOperationsMax: 100_000,
  /** Length of a block's text. */
  textUnitsMax: 16 * 1024 * 1024,
  /** Length of a block's metadata as JSON, without what Heddle itself notes there: it is told with every reading of a block. */
  metadataUnitsMax: 64 * 1024,
  /**
   * Changes since the last snapshot after which the next is written: as many as are read in a moment at the next opening,
   * since each snapshot writes the whole text.
   */
  snapshotChanges: 2_000,
  /** The same for a block that leaves memory and will be opened again: nobody waits for it now. */
  snapshotChangesLeaving: 100,
  /** Bytes of updates since the last snapshot after which the next is written. */
  snapshotBytes: 256 * 1024,
  /** Mutations that one transaction takes together. */
  batchMutationsMax: 64,
  /**
   * How long a document's queue goes on before everything else in the process has its turn, how long one commit is
   * planned, and how much of the queue's time somebody has had who then lets others go first.
   */
  turnMs: 10,
  /** How long a block that nobody watches or uses stays in memory. */
  idleMs: 60_000,
  /** A person's edits closer together than this are undone together. */
  typingPauseMs: 1000,
  /** Changes of a person's unit after which the next begins: a unit is kept whole, so it cannot grow for ever. */
  typingChangesMax: 1000,
  /** See Retention. */
  retention: {
    changesMin: 1000,
    ageMs: 7 * 24 * 60 * 60 * 1000,
    changesMax: 20_000,
    stepChanges: 500,
  },
  /** Suggested hunks of one canvas that wait for a decision: more than a person goes through, and placed within a tenth of a second. */
  openHunksMax: 2_000,
  /** Versions of the engine kept by block version, for edits planned against an earlier text. */
  textVersionsKept: 2000,
} as const;

/** How often a commit is tried that somebody else's write came before. */
export const commitAttemptsMax = 3;
