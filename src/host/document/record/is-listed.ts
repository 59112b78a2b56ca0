import type { BlockChangeBody } from "../../../core/block/types.ts";

/** Returns whether a change of this type may change the list of canvases and their titles. */
export function isListed(type: BlockChangeBody["type"]): boolean {
  return type === "metadata" || type === "deleted" || type === "restored";
}
