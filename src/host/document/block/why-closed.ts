import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { statusOnWrite } from "../../../core/block/status.ts";
import type { OpenBlock } from "./open-block.ts";

/** Returns why a block accepts no more text; null when it does. */
export function whyClosed(block: OpenBlock): Refusal | null {
  if (block.header.deletedAt !== undefined) return blockNotFound(block.id);
  const status = statusOnWrite(block.header);
  return status.ok ? null : status.error;
}

export function blockNotFound(blockId: BlockId): Refusal {
  return refusal("BLOCK_NOT_FOUND", { block_id: blockId });
}
