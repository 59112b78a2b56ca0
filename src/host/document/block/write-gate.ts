import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { isEditableLive, isLiveBlock, placeOf } from "../../../core/block/live-block.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { OpenBlock } from "./open-block.ts";
import type { Author } from "../record/types.ts";
import { closedRefusal } from "./closed-refusal.ts";

/** Reports whether an agent holds the lease on a canvas: meanwhile people may not type there when its policy is Lease. */
export interface LeaseView {
  isHeld(canvasId: BlockId): boolean;
  /** Ends any lease on a canvas. */
  takeControl(canvasId: BlockId): Promise<unknown>;
}

/** How a change reaches a block: as an update that a page typed, or by a command or a tool that names it. */
export type Manner = "typed" | "asked";

/** Decides who may write to a block. */
export class WriteGate {
  readonly #leases: LeaseView;
  /**
   * Live blocks whose text is being stored as a message. In memory only: after a crash the text on disk is what the lost
   * reply had shown, and recovery seals it again.
   */
  readonly #sealed = new Set<BlockId>();

  constructor(leases: LeaseView) {
    this.#leases = leases;
  }

  /** Refuses all edits of a live block from now on. */
  seal(blockId: BlockId): void {
    this.#sealed.add(blockId);
  }

  /** Forgets a sealed block, whose status refuses edits from now on. */
  closed(blockId: BlockId): void {
    this.#sealed.delete(blockId);
  }

  /** Returns why the author may not write the block's text now; null when they may. */
  whyRefused(author: Author, block: OpenBlock, manner: Manner = "asked"): Refusal | null {
    const live = this.whyLive(author, block.header, manner);
    if (live !== null) return live;
    const unreviewed = isReviewed(author, block.header) ? refusal("REVIEW_NEEDED", { block_id: block.id }) : null;
    return this.whyLeased(author, block) ?? unreviewed ?? closedRefusal(block);
  }

  /** Returns why a live block may not be changed: people edit its words while they stream, and its message afterwards. */
  whyLive({ actor }: Author, header: BlockHeader, manner: Manner = "asked"): Refusal | null {
    if (!isLiveBlock(header)) return null;
    const { id, kind, status } = header;
    if (this.#sealed.has(id) || status === "done" || status === "error") {
      const nodeId = placeOf(header)?.nodeId;
      const details = { block_id: id, ...(nodeId === undefined ? {} : { node_id: nodeId }) };
      return refusal(manner === "typed" ? "MESSAGE_STORED" : "BLOCK_IS_MESSAGE", details);
    }
    if (!isEditableLive(kind)) return refusal("NOT_EDITABLE", { block_id: id, kind });
    return actor.type === "model" ? refusal("NOT_YOURS", { block_id: id }) : null;
  }

  /** Returns why a person may not write here now: an agent holds the lease on the canvas. */
  whyLeased(author: Author, block: OpenBlock): Refusal | null {
    const exclusive = block.header.policy === "lease" && author.actor.type === "person";
    return exclusive && this.#leases.isHeld(block.id) ? refusal("CANVAS_LEASED", { canvas_id: block.id }) : null;
  }
}

/** Returns whether the author's edits of the block need a person's review. */
export function isReviewed({ actor }: Author, { policy }: BlockHeader): boolean {
  return policy === "suggest" && actor.type === "model";
}
