import type { BlockId } from "../../../core/base/ids.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { Store } from "../../../core/port/store.ts";
import { hubLimits } from "../record/limits.ts";
import { loadText, type BlocksReadBefore } from "./load-block.ts";
import type { OpenBlock } from "./open-block.ts";

/** What is read of a store before it may be written. */
export type EarlyStore = Pick<Store, "blocks" | "snapshot" | "changes" | "logStart">;

interface EarlyBlock {
  readonly block: OpenBlock;
  /** Where its log began. */
  readonly beforeVersion: number;
}

/**
 * Documents that a process reads while it waits for the right to write. Who had the right may have written since, so that each is
 * read on when it is opened; where its log was cut meanwhile, what was read is dropped, since it has what was to be forgotten.
 */
export class EarlyBlocks implements BlocksReadBefore {
  readonly #blocksById = new Map<BlockId, EarlyBlock>();
  #isOver = false;

  /** Reads the documents that changed last, the newest first, until it is stopped. `now` in UTC milliseconds. */
  async read(store: EarlyStore, now: number): Promise<void> {
    const headers = (await store.blocks(null))
      .filter(({ updatedAt, deletedAt }) => deletedAt === undefined && updatedAt > now - hubLimits.earlyAgeMs)
      .toSorted((one, other) => other.updatedAt - one.updatedAt)
      .slice(0, hubLimits.earlyBlocksMax);
    let bytes = 0;
    const readNext = async (): Promise<void> => {
      for (let header = headers.shift(); header !== undefined; header = headers.shift()) {
        if (this.#isOver || bytes > hubLimits.earlyBytesMax) return;
        bytes += await this.#read(store, header);
      }
    };
    await Promise.all(Array.from({ length: hubLimits.earlyReads }, readNext));
  }

  /** Reads no more. */
  stop(): void {
    this.#isOver = true;
  }

  /** Reads no more, and lets go of what nobody has opened. */
  clear(): void {
    this.stop();
    this.#blocksById.clear();
  }

  async take(store: EarlyStore, header: BlockHeader): Promise<OpenBlock | null> {
    const early = this.#blocksById.get(header.id);
    this.#blocksById.delete(header.id);
    if (early === undefined) return null;
    const { block, beforeVersion } = early;
    const [start, changes] = await Promise.all([
      store.logStart(header.id),
      store.changes({ blockId: header.id, afterVersion: block.version }),
    ]);
    if ((start?.beforeVersion ?? 1) !== beforeVersion) return null;
    block.replay(changes);
    return block;
  }

  /** Returns the bytes of its snapshot. */
  async #read(store: EarlyStore, header: BlockHeader): Promise<number> {
    const start = await store.logStart(header.id);
    const block = await loadText(store, header);
    // Reads the history too, which what clients send needs.
    block.document.updateSince(block.document.version());
    if (!this.#isOver) this.#blocksById.set(header.id, { block, beforeVersion: start?.beforeVersion ?? 1 });
    return block.snapshotBytes;
  }
}
