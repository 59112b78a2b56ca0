import type { BlockId } from "../../../core/base/ids.ts";
import type { Clock } from "../../../core/port/platform.ts";
import type { OpenBlock } from "../block/open-block.ts";
import { isStoredReply } from "../record/retention.ts";

/** The blocks of one document that are in memory, each with the time of its last use in monotonic milliseconds. */
export class OpenBlocks {
  readonly #clock: Clock;
  readonly #blocksById = new Map<BlockId, OpenBlock>();
  readonly #usedAtById = new Map<BlockId, number>();
  /** Live blocks whose message is stored, since `takeReplies`. */
  readonly #repliesById = new Map<BlockId, OpenBlock>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#blocksById.size;
  }

  get(blockId: BlockId): OpenBlock | undefined {
    return this.#blocksById.get(blockId);
  }

  /** Returns false for a block that was read from the store again: that one is another object. */
  has(block: OpenBlock): boolean {
    return this.#blocksById.get(block.id) === block;
  }

  /** Notes that a block in memory is used. */
  used(block: OpenBlock): void {
    this.#usedAtById.set(block.id, this.#clock.monotonic());
  }

  /** Puts a block into memory, or notes that it has changed. */
  keep(block: OpenBlock): void {
    this.#blocksById.set(block.id, block);
    this.used(block);
    if (isStoredReply(block.header)) this.#repliesById.set(block.id, block);
  }

  forget(blockId: BlockId): void {
    this.#blocksById.delete(blockId);
    this.#usedAtById.delete(blockId);
    this.#repliesById.delete(blockId);
  }

  clear(): void {
    this.#blocksById.clear();
    this.#usedAtById.clear();
    this.#repliesById.clear();
  }

  /** The blocks that nobody has used since `before`; blocks may be forgotten meanwhile. */
  *unusedSince(before: number): Iterable<OpenBlock> {
    for (const [blockId, block] of this.#blocksById) {
      if ((this.#usedAtById.get(blockId) ?? 0) <= before) yield block;
    }
  }

  /** Returns the live blocks that were kept since the last call and whose message is stored. */
  takeReplies(): readonly OpenBlock[] {
    if (this.#repliesById.size === 0) return [];
    const replies = [...this.#repliesById.values()];
    this.#repliesById.clear();
    return replies;
  }
}
