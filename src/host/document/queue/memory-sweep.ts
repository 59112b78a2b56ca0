import type { BlockId } from "../../../core/base/ids.ts";
import type { Clock } from "../../../core/port/platform.ts";
import type { BlockMaintenance } from "../block/block-maintenance.ts";
import type { Feed } from "../record/feed.ts";
import { hubLimits } from "../record/limits.ts";
import { isStoredReply } from "../record/retention.ts";
import type { OpenBlocks } from "./open-blocks.ts";

interface SweepPorts {
  readonly clock: Clock;
  readonly blocks: OpenBlocks;
  readonly feed: Feed;
  readonly maintenance: BlockMaintenance;
  /** Whether jobs of the document run or wait. */
  isBusy(): boolean;
  hasPending(blockId?: BlockId): boolean;
  /** Called when no block is in memory or watched and no text is buffered. */
  onIdle(): void;
}

/** Decides when the blocks of one document leave memory. */
export class MemorySweep {
  readonly #ports: SweepPorts;
  #cancel: (() => void) | null = null;

  constructor(ports: SweepPorts) {
    this.#ports = ports;
  }

  /** Runs when the document's queue is empty. */
  rested(): void {
    for (const block of this.#ports.blocks.takeReplies()) {
      if (!this.#ports.maintenance.compactIfDue(block)) this.letGoOfReply(block.id);
    }
    this.#schedule();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /**
   * Frees a live block whose message is stored as soon as nobody watches it: pages show the message. A server on which agents
   * speak all day would otherwise hold every reply for another minute or two.
   */
  letGoOfReply(blockId: BlockId): void {
    const { blocks, feed, maintenance } = this.#ports;
    const block = blocks.get(blockId);
    if (block === undefined || !isStoredReply(block.header)) return;
    // The queue may be about to use it, and looks at it again when it is empty.
    if (this.#ports.isBusy()) blocks.keep(block);
    else if (!maintenance.isCompacting(block) && !feed.isWatched(blockId) && !this.#ports.hasPending(blockId))
      blocks.forget(blockId);
  }

  #schedule(delayMs: number = hubLimits.idleMs): void {
    this.#cancel ??= this.#ports.clock.setTimer(delayMs, () => {
      this.#cancel = null;
      this.#sweep();
    });
  }

  /** Frees blocks that nobody watches or has used for `idleMs`; yields to the event loop between slices. */
  #sweep(): void {
    const { clock, blocks, feed, maintenance } = this.#ports;
    if (this.#ports.isBusy()) return;
    const began = clock.monotonic();
    for (const block of blocks.unusedSince(began - hubLimits.idleMs)) {
      if (this.#ports.hasPending(block.id)) continue;
      if (maintenance.compactIfDue(block) || feed.isWatched(block.id)) continue;
      blocks.forget(block.id);
      maintenance.leaving(block);
      if (clock.monotonic() - began > hubLimits.sliceMs) return this.#schedule(1);
    }
    if (blocks.size > 0 || this.#ports.hasPending() || !feed.isUnwatched) this.#schedule();
    else this.#ports.onIdle();
  }
}
