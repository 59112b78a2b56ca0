import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { OpenBlock } from "./open-block.ts";
import type { Author } from "../record/types.ts";
import { whyClosed } from "./why-closed.ts";

/** Whether an agent holds a canvas now: while it does, and its policy is exclusive, people may not type there. */
export interface LeaseView {
  isHeld(canvasId: BlockId): boolean;
}

/** Says who may write where. */
export class WriteGate {
  readonly #leases: LeaseView;

  constructor(leases: LeaseView) {
    this.#leases = leases;
  }

  /** Why the author may not write the block's text now; null where they may. */
  whyRefused(author: Author, block: OpenBlock): Refusal | null {
    const unreviewed = isReviewed(author, block.header) ? refusal("REVIEW_NEEDED", { block_id: block.id }) : null;
    return this.whyLeased(author, block) ?? unreviewed ?? whyClosed(block);
  }

  /** Why a person may not write here now: an agent has the canvas to itself. */
  whyLeased(author: Author, block: OpenBlock): Refusal | null {
    const exclusive = block.header.policy === "lease" && author.actor.type === "person";
    return exclusive && this.#leases.isHeld(block.id) ? refusal("CANVAS_LEASED", { canvas_id: block.id }) : null;
  }
}

/** Whether what the author does to the block waits for a person. */
export function isReviewed({ actor }: Author, { policy }: BlockHeader): boolean {
  return policy === "suggest" && actor.type === "model";
}
