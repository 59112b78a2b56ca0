import { blockTitle } from "../../../core/block/block-title.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { Actor } from "../../../core/base/actor.ts";
import type { TrashedObject } from "../../../core/forest/trash-entry.ts";
import type { Author } from "./types.ts";

/** What is recorded of a deleted block. */
interface TrashedBlock {
  readonly object: Extract<TrashedObject, { readonly type: "canvas" | "block" }>;
  readonly title: string;
  readonly by: Actor;
}

/** Returns what is recorded of a block that an author deletes. */
export function trashedBlock({ actor }: Author, header: BlockHeader): TrashedBlock {
  const type = header.policy === undefined ? "block" : "canvas";
  return { object: { type, blockId: header.id }, title: blockTitle(header), by: actor };
}
