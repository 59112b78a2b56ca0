import { updateBytesMax } from "../../core/protocol/limits.ts";

/** Bounds of what one block takes and when the hub writes, in the units that the names end with. */
export const hubLimits = {
  /** One client's update; the wire takes no larger one. */
  updateBytesMax,
  /** Operation runs in one client's update. */
  updateOperationsMax: 100_000,
  /** Length of a block's text. */
  textUnitsMax: 16 * 1024 * 1024,
  /** Changes since the last snapshot after which the next is written. */
  snapshotChanges: 500,
  /** Bytes of updates since the last snapshot after which the next is written. */
  snapshotBytes: 256 * 1024,
  /** Mutations that one transaction takes together. */
  batchMutationsMax: 64,
  /**
   * How long a document's queue goes on before everything else in the process has its turn, how long one commit is
   * planned, and how much of the queue's time somebody has had who then lets others go first.
   */
  turnMs: 10,
  /** Watchers for each of whom a millisecond passes between two commits of a block, and the longest such pause. */
  watchersPerPauseMs: 12,
  pauseMsMax: 16,
  /** How long a block that nobody watches or uses stays in memory. */
  idleMs: 60_000,
  /** A person's edits closer together than this are undone together. */
  typingPauseMs: 1000,
  /** Versions of the engine kept by block version, for edits planned against an earlier text. */
  textVersionsKept: 2000,
} as const;
