import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, DocumentId } from "../../../core/base/ids.ts";
import { err, type Result } from "../../../core/base/result.ts";
import { documentOfBlock } from "../record/document-of.ts";
import { Lane, type LanePorts, type Whose } from "./lane.ts";
import type { OpenBlock } from "../block/open-block.ts";
import { whyMissing } from "../block/closed-refusal.ts";

/** The lanes of all documents that are in memory; a lane opens with its document's first job and is dropped when idle. */
export class Lanes {
  readonly #ports: LanePorts;
  readonly #lanesById = new Map<DocumentId, Lane>();

  constructor(ports: LanePorts) {
    this.#ports = ports;
  }

  of(blockId: BlockId): Lane {
    return this.ofDocument(documentOfBlock(blockId));
  }

  ofDocument(documentId: DocumentId): Lane {
    const known = this.#lanesById.get(documentId);
    if (known !== undefined) return known;
    const lane = new Lane(documentId, this.#ports, () => {
      if (this.#lanesById.get(documentId) === lane) this.#lanesById.delete(documentId);
    });
    this.#lanesById.set(documentId, lane);
    return lane;
  }

  /** Runs `work` on a block, with all buffered text written, while nothing else happens in the block's document. */
  alone<Value>(
    blockId: BlockId,
    work: (block: OpenBlock) => Promise<Result<Value, Refusal>>,
    whose: Whose = {},
  ): Promise<Result<Value, Refusal>> {
    const lane = this.of(blockId);
    return lane.alone(async () => {
      const block = await lane.settled(blockId, whose);
      return block === null ? err(await whyMissing(this.#ports.store, blockId)) : work(block);
    });
  }

  /** Like `alone`, with two blocks at once. Queues are always held in the order of the ids, so that nobody deadlocks. */
  together<Value>(
    [one, other]: readonly [BlockId, BlockId],
    work: (one: OpenBlock, other: OpenBlock) => Promise<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>> {
    if (one > other) return this.together([other, one], (second, first) => work(first, second));
    return this.alone(one, async (first) => {
      if (one === other) return work(first, first);
      const lane = this.of(other);
      const within = async (): Promise<Result<Value, Refusal>> => {
        const second = await lane.settled(other);
        return second === null ? err(await whyMissing(this.#ports.store, other)) : work(first, second);
      };
      return documentOfBlock(one) === documentOfBlock(other) ? within() : lane.alone(within);
    });
  }

  /** Writes out all buffered text of all documents. */
  async flush(): Promise<void> {
    await Promise.all([...this.#lanesById.values()].map((lane) => lane.flush()));
  }

  /** Writes out everything and frees the memory. */
  async close(): Promise<void> {
    await Promise.all([...this.#lanesById.values()].map((lane) => lane.close()));
    this.#lanesById.clear();
  }
}
