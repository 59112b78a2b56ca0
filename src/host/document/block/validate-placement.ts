import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { Store } from "../../../core/port/store.ts";
import type { NewBlock } from "../record/types.ts";
import { blockNotFound } from "./closed-refusal.ts";

/** Returns why a block cannot be created at its place; null when it can. */
export async function validatePlacement(store: Store, block: NewBlock): Promise<Refusal | null> {
  if (block.parentId !== null && (await undeleted(store, block.parentId)) === null)
    return blockNotFound(block.parentId);
  if (block.after === undefined) return null;
  const sibling = await undeleted(store, block.after);
  if (sibling === null) return blockNotFound(block.after);
  if (sibling.documentId !== block.documentId) return ofAnotherDocument();
  return sibling.parentId === block.parentId
    ? null
    : refusal("INVALID_PARAMS", { path: "after", expected: "a block under the same parent" });
}

function ofAnotherDocument(): Refusal {
  return refusal(
    "INVALID_PARAMS",
    { path: "after", expected: "a block of the same document" },
    "Each file is its own document, so it cannot be ordered among other blocks. Omit `after`.",
  );
}

/** Returns a block's header; null when the block does not exist or is deleted. */
async function undeleted(store: Store, blockId: BlockId): Promise<BlockHeader | null> {
  const header = await store.block(blockId);
  return header?.deletedAt === undefined ? header : null;
}
