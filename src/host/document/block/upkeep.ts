import type { Clock, Logger } from "../../../core/port/platform.ts";
import type { Store } from "../../../core/port/store.ts";
import type { AgentId } from "../../../core/text/types.ts";
import { compact } from "./compaction.ts";
import { hubLimits, type Retention } from "../record/limits.ts";
import type { OpenBlock } from "./open-block.ts";

interface UpkeepPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** See Agents. */
  readonly ownerOf: (agent: AgentId) => Promise<AgentId>;
  readonly retention: Retention;
}

/** The queue of the document whose blocks are kept up. */
interface Queue {
  /** Runs `work` while nothing else of the document happens. */
  alone(work: () => Promise<void>): Promise<void>;
  /** Whether this is what is in memory of the block; read afresh, it is another. */
  isOpen(block: OpenBlock): boolean;
  drop(block: OpenBlock): void;
}

/** What is done to blocks beside what anybody asks: snapshots of their text, and the end of their old history. */
export class Upkeep {
  readonly #ports: UpkeepPorts;
  readonly #queue: Queue;
  readonly #compacting = new Map<OpenBlock, Promise<void>>();

  constructor(ports: UpkeepPorts, queue: Queue) {
    this.#ports = ports;
    this.#queue = queue;
  }

  get isBusy(): boolean {
    return this.#compacting.size > 0;
  }

  /** Resolves when what is under way now is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#compacting.values());
  }

  /** A commit that changed the block is on disk. */
  changed(block: OpenBlock): void {
    this.#writeSnapshotIfDue(block, hubLimits.snapshotChanges);
    this.compactIfDue(block);
  }

  /** The block leaves memory. Reports what goes wrong: nobody asked for it who could be told. */
  leaving(block: OpenBlock): void {
    try {
      this.#writeSnapshotIfDue(block, hubLimits.snapshotChangesLeaving);
    } catch (bug) {
      this.#report("snapshot-failed", block, bug);
    }
  }

  /**
   * Lets go of the history that nobody needs any more. Its own commit, and most of what it reads is read beside the queue.
   * True while it is under way.
   */
  compactIfDue(block: OpenBlock): boolean {
    const { clock, retention } = this.#ports;
    if (this.#compacting.has(block)) return true;
    if (!block.isCompactionDue(clock.now(), retention)) return false;
    const work = compact({ ...this.#ports, now: clock.now() }, block, (last) =>
      this.#queue.alone(async () => {
        // Read afresh, it will have a turn of its own.
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
      .finally(() => this.#compacting.delete(block));
    this.#compacting.set(block, done);
    return true;
  }

  /**
   * In its own commit, beside the queue: a snapshot only makes the next opening faster. A deleted block is not opened
   * again, and what is purged must stay so.
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
