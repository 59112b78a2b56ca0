import { updateBytesMax } from "../../../core/protocol/base/limits.ts";

/**
 * Selects the changes of a block that are kept for undo, for history, and for pages that reconnect. A unit with one kept
 * change is kept whole.
 */
export interface Retention {
  /** Minimum number of newest changes, however old: a document opened once a year still shows and undoes its last edits. */
  readonly changesMin: number;
  /**
   * Changes younger than this are kept: a page or an agent that was connected within this time continues from its version;
   * a page that reconnects later fetches a whole copy and keeps its unsent edits.
   */
  readonly ageMs: number;
  /**
   * At most this number and an eighth more are kept, however young: a program that writes day and night does not fill the
   * disk, and a log stays quick to read.
   */
  readonly changesMax: number;
  /**
   * At most the newest changes with so many bytes are kept, and half as many more, however few or young they are: who replaces
   * a large text again and again fills neither the memory nor the disk.
   */
  readonly bytesMax: number;
  /** Minimum number of changes dropped at a time: reading a log to drop a few would cost more than keeping them. */
  readonly stepChanges: number;
}

/** Bounds of one block's size and of the hub's timing; each name ends with its unit. */
export const hubLimits = {
  /** Bytes of one client's update; the wire accepts no larger one. */
  updateBytesMax,
  /** Operation runs in one client's update. */
  updateOperationsMax: 100_000,
  /** Length of a block's text. */
  textUnitsMax: 16 * 1024 * 1024,
  /** Length of a block's metadata as JSON, without Heddle's own fields: every reading of a block includes it. */
  metadataUnitsMax: 64 * 1024,
  /**
   * Changes after which the next snapshot is written: between these, as many as took about a quarter of the disk that it will. A
   * server that takes over from one that was killed replays the changes after the last snapshot of every open document,
   * while everybody waits for it.
   */
  snapshotChangesMin: 128,
  snapshotChangesMax: 1_000,
  /** What the row of a change takes of the disk at least. */
  changeRowBytes: 100,
  /** How many times the disk that changes took the snapshot after them may take. */
  snapshotPerChanges: 4,
  /** The same for a block that leaves memory: nobody waits for this snapshot, and the next opening is faster. */
  snapshotChangesLeaving: 100,
  /** Bytes of updates after which the next snapshot is written, where the last one was no larger; else as many as that had. */
  snapshotBytes: 256 * 1024,
  /**
   * What a process reads of documents before it may write: as many of those that changed within this time, and about so many
   * bytes of their snapshots, with so many reads at once.
   */
  earlyBlocksMax: 256,
  earlyAgeMs: 60_000,
  earlyBytesMax: 16 * 1024 * 1024,
  earlyReads: 4,
  /** Maximum number of mutations in one transaction. */
  batchMutationsMax: 64,
  /**
   * The slice of a document's queue before it yields to the event loop, the planning time of one commit, and the queue time
   * after which an author lets others go first.
   */
  sliceMs: 10,
  /** Time after the first change of a block that was opened, before a long log is looked at for compaction. Milliseconds. */
  compactionAfterMs: 60_000,
  /** A log of at most so many changes is looked at without waiting. */
  compactionAtOnceMax: 500,
  /** Time that a block stays in memory without being watched or used. */
  idleMs: 60_000,
  /** Edits of a person less than this apart form one undo unit. */
  typingPauseMs: 1000,
  /** Maximum number of changes in a person's unit: compaction keeps a unit whole, so its size must be bounded. */
  typingChangesMax: 1000,
  /** See Retention. */
  retention: {
    changesMin: 1000,
    ageMs: 7 * 24 * 60 * 60 * 1000,
    changesMax: 20_000,
    bytesMax: 16 * 1024 * 1024,
    stepChanges: 500,
  },
  /** Maximum number of undecided hunks in one canvas: more than a person reviews, and placed within 100 ms. */
  openHunksMax: 2_000,
  /** Block versions whose text version is kept in memory, for edits planned against an earlier text. */
  textVersionsKept: 2000,
} as const;

/** Returns what is kept where somebody chose the days. The bound on the number of changes grows with them. */
export function retentionFor(days: number): Retention {
  const { retention } = hubLimits;
  const ageMs = days * 24 * 60 * 60 * 1000;
  return { ...retention, ageMs, changesMax: Math.ceil(retention.changesMax * Math.max(1, ageMs / retention.ageMs)) };
}

/** Attempts at a commit that conflicts with another writer. */
export const commitAttemptsMax = 3;
