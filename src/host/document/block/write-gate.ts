import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId } from "../../../core/base/ids.ts";
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

/** Decides who may write to a block. */
export class WriteGate {
  readonly #leases: LeaseView;

  constructor(leases: LeaseView) {
    this.#leases = leases;
  }

  /** Returns why the author may not write the block's text now; null when they may. */
  whyRefused(author: Author, block: OpenBlock): Refusal | null {
    const unreviewed = isReviewed(author, block.header) ? refusal("REVIEW_NEEDED", { block_id: block.id }) : null;
    return this.whyLeased(author, block) ?? unreviewed ?? closedRefusal(block);
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
