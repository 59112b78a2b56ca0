import type { BlockId } from "../../../core/base/ids.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { NewBlock } from "./types.ts";

/** Returns the header of a new block; storing its creation makes it version 1. `at` is UTC milliseconds. */
export function newHeader(block: NewBlock, id: BlockId, at: number): BlockHeader {
  return {
    id,
    documentId: block.documentId,
    parentId: block.parentId,
    role: block.role,
    kind: block.kind,
    status: block.status,
    version: 0,
    metadata: block.after === undefined ? block.metadata : { ...block.metadata, after: block.after },
    collapsed: false,
    excluded: false,
    ...(block.policy === undefined ? {} : { policy: block.policy }),
    createdAt: at,
    updatedAt: at,
  };
}
