import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { statusOnWrite } from "../../../core/block/status.ts";
import type { Store } from "../../../core/port/store.ts";
import type { OpenBlock } from "./open-block.ts";

/** Returns why a block accepts no more text; null when it does. */
export function closedRefusal(block: OpenBlock): Refusal | null {
  if (block.header.deletedAt !== undefined) return blockNotFound(block.id);
  const status = statusOnWrite(block.header);
  return status.ok ? null : status.error;
}

/** Returns why there is no block to work with: it is in the trash, or it does not exist. */
export async function whyMissing(store: Pick<Store, "trashed">, blockId: BlockId): Promise<Refusal> {
  const entry = await store.trashed(blockId);
  return entry === null
    ? blockNotFound(blockId)
    : refusal("IN_TRASH", { block_id: blockId, trash_id: entry.id, type: entry.object.type });
}

export function blockNotFound(blockId: BlockId): Refusal {
  return refusal("BLOCK_NOT_FOUND", { block_id: blockId });
}
