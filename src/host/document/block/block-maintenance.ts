import type { Clock, Logger } from "../../../core/port/platform.ts";
import type { Store } from "../../../core/port/store.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import { compact } from "./compaction.ts";
import { hubLimits, type Retention } from "../record/limits.ts";
import type { BusyTurns } from "../record/busy-turns.ts";
import { retentionOf } from "../record/retention.ts";
import type { OpenBlock } from "./open-block.ts";

interface BlockMaintenancePorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** See Agents. */
  readonly ownerOf: (replica: ReplicaId) => Promise<ReplicaId>;
  readonly retention: Retention;
  readonly turns: Pick<BusyTurns, "next">;
}

interface EncodedSnapshot {
  readonly version: number;
  readonly bytes: Uint8Array;
  /** Whether nothing else uses the bytes. */
  readonly handsOver?: true;
}

type SnapshotSteps = ReturnType<OpenBlock["encodeSnapshotInSteps"]>;

/** The queue of a document. */
interface Queue {
  /** Runs `work` while nothing else of the document runs. */
  alone(work: () => Promise<void>): Promise<void>;
  /** Whether this object is the block in memory; a block read again from the store is another object. */
  isOpen(block: OpenBlock): boolean;
  drop(block: OpenBlock): void;
  /** A compaction ended, also one that failed. */
  compacted(block: OpenBlock): void;
}

/** Background maintenance of blocks: snapshots of their text, and compaction of their history. */
export class BlockMaintenance {
  readonly #ports: BlockMaintenancePorts;
  readonly #queue: Queue;
  readonly #compacting = new Map<OpenBlock, Promise<void>>();
  /** When each block in memory was changed first, monotonic. */
  readonly #changedSince = new WeakMap<OpenBlock, number>();
  /** Snapshots that are being encoded, a step in each turn. */
  readonly #snapshots = new Map<OpenBlock, Promise<void>>();

  constructor(ports: BlockMaintenancePorts, queue: Queue) {
    this.#ports = ports;
    this.#queue = queue;
  }

  get isBusy(): boolean {
    return this.#compacting.size > 0 || this.#snapshots.size > 0;
  }

  isCompacting(block: OpenBlock): boolean {
    return this.#compacting.has(block);
  }

  /** Resolves when the compactions and snapshots under way are done. */
  async settled(): Promise<void> {
    await Promise.all([...this.#compacting.values(), ...this.#snapshots.values()]);
  }

  /** Runs after a commit that changed the block. */
  changed(block: OpenBlock): void {
    this.#snapshotIfDue(block);
    if (!this.#isYoung(block)) this.compactIfDue(block);
  }

  /**
   * Whether a block has been in memory for so short a time that its log is not looked at yet, where that may be long: it is read whole.
   * Whoever opens such a document would wait for that, and after a start everybody would.
   */
  #isYoung(block: OpenBlock): boolean {
    const now = this.#ports.clock.monotonic();
    const since = this.#changedSince.get(block) ?? now;
    if (since === now) this.#changedSince.set(block, now);
    const retention = retentionOf(block.header, this.#ports.retention);
    const isLong = block.header.version > hubLimits.compactionAtOnceMax;
    return isLong && now - since < hubLimits.compactionAfterMs && !block.isLarge(retention);
  }

  /** Runs before the block leaves memory. Logs errors, because no caller waits for the result. */
  leaving(block: OpenBlock): void {
    try {
      if (block.header.deletedAt !== undefined) return;
      // What is being encoded is let go of with the block.
      const isDue = this.#snapshots.has(block) || block.isSnapshotDue(hubLimits.snapshotChangesLeaving);
      if (isDue) void this.#write(block, { version: block.header.version, bytes: block.encodeSnapshot() });
    } catch (bug) {
      this.#report("snapshot-failed", block, bug);
    }
  }

  /**
   * Starts a compaction when one is due. It has its own commit and reads most of the log beside the queue.
   * Returns true while a compaction is under way.
   */
  compactIfDue(block: OpenBlock): boolean {
    const { clock } = this.#ports;
    if (this.#compacting.has(block)) return true;
    const retention = retentionOf(block.header, this.#ports.retention);
    if (!block.isCompactionDue(clock.now(), retention)) return false;
    const work = compact({ ...this.#ports, retention, now: clock.now() }, block, (last) =>
      this.#queue.alone(async () => {
        // A block that was read again is compacted by itself.
        if (!this.#queue.isOpen(block)) return;
        let isStored = false;
        try {
          isStored = await last();
        } finally {
          if (!isStored) this.#queue.drop(block);
        }
      }),
    );
    const done = work
      .catch((bug: unknown) => this.#report("compaction-failed", block, bug))
      .finally(() => {
        this.#compacting.delete(block);
        this.#queue.compacted(block);
      });
    this.#compacting.set(block, done);
    return true;
  }

  /**
   * Writes a snapshot in its own commit, beside the queue, because it only makes the next opening faster. A deleted block
   * gets none: it is never opened again, and a purged block must stay empty. A long history is encoded in turns with the work
   * of other documents: several at once would keep everybody's keystrokes waiting.
   */
  #snapshotIfDue(block: OpenBlock): void {
    if (block.header.deletedAt !== undefined || this.#snapshots.has(block)) return;
    if (!block.isSnapshotDue(block.snapshotChanges)) return;
    const { version } = block.header;
    const steps = block.encodeSnapshotInSteps();
    const first = steps.next();
    if (first.done === true) {
      if (first.value !== null) void this.#write(block, { version, bytes: first.value, handsOver: true });
      return;
    }
    const taken = this.#encodeInTurns(block, version, steps)
      .catch((bug: unknown) => this.#report("snapshot-failed", block, bug))
      .finally(() => this.#snapshots.delete(block));
    this.#snapshots.set(block, taken);
  }

  async #encodeInTurns(block: OpenBlock, version: number, steps: SnapshotSteps): Promise<void> {
    for (;;) {
      await this.#ports.turns.next();
      if (!this.#queue.isOpen(block) || block.header.deletedAt !== undefined) return;
      const step = steps.next();
      if (step.done !== true) continue;
      if (step.value !== null) await this.#write(block, { version, bytes: step.value, handsOver: true });
      return;
    }
  }

  #write(block: OpenBlock, { version, bytes, handsOver }: EncodedSnapshot): Promise<void> {
    const snapshot = { blockId: block.id, version, bytes };
    const write = { type: "put-snapshot", snapshot, ...(handsOver === true ? { handsOver } : {}) } as const;
    return this.#ports.store.commit([write]).then(
      (written) => {
        if (!written.ok) this.#ports.logger.warn("snapshot-refused", { block: block.id, code: written.error.code });
      },
      (bug: unknown) => this.#report("snapshot-failed", block, bug),
    );
  }

  #report(event: string, { header }: OpenBlock, bug: unknown): void {
    this.#ports.logger.error(event, { document: header.documentId, reason: String(bug) });
  }
}
