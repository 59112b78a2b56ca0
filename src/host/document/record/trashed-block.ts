import { blockTitle } from "../../../core/block/block-title.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { trashEntry } from "../../base/trash-time.ts";
import type { Author } from "./types.ts";

/** Returns what is recorded of a block that an author deletes. */
export function trashedBlock({ actor }: Author, header: BlockHeader): Parameters<typeof trashEntry>[2] {
  const type = header.policy === undefined ? "block" : "canvas";
  return { object: { type, blockId: header.id }, title: blockTitle(header), by: actor };
}
