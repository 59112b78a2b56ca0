import type { Clock, Logger } from "../../../core/port/platform.ts";
import type { Store } from "../../../core/port/store.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import { compact } from "./compaction.ts";
import { hubLimits, type Retention } from "../record/limits.ts";
import { retentionOf } from "../record/retention.ts";
import type { OpenBlock } from "./open-block.ts";

interface BlockMaintenancePorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** See Agents. */
  readonly ownerOf: (replica: ReplicaId) => Promise<ReplicaId>;
  readonly retention: Retention;
}

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

  constructor(ports: BlockMaintenancePorts, queue: Queue) {
    this.#ports = ports;
    this.#queue = queue;
  }

  get isBusy(): boolean {
    return this.#compacting.size > 0;
  }

  isCompacting(block: OpenBlock): boolean {
    return this.#compacting.has(block);
  }

  /** Resolves when the compactions under way are done. */
  async settled(): Promise<void> {
    await Promise.all(this.#compacting.values());
  }

  /** Runs after a commit that changed the block. */
  changed(block: OpenBlock): void {
    this.#writeSnapshotIfDue(block, hubLimits.snapshotChanges);
    this.compactIfDue(block);
  }

  /** Runs before the block leaves memory. Logs errors, because no caller waits for the result. */
  leaving(block: OpenBlock): void {
    try {
      this.#writeSnapshotIfDue(block, hubLimits.snapshotChangesLeaving);
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
   * gets none: it is never opened again, and a purged block must stay empty.
   */
  #writeSnapshotIfDue(block: OpenBlock, changes: number): void {
    if (block.header.deletedAt !== undefined) return;
    const bytes = block.takeDueSnapshot(changes);
    if (bytes === null) return;
    const snapshot = { blockId: block.id, version: block.header.version, bytes };
    this.#ports.store.commit([{ type: "put-snapshot", snapshot }]).then(
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
