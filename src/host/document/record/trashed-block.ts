import { blockTitle } from "../../../core/block/block-title.ts";
import { blockFolder, blockPath } from "../../../core/block/list-blocks.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { Actor } from "../../../core/base/actor.ts";
import type { TrashedObject } from "../../../core/forest/trash-entry.ts";
import type { Author } from "./types.ts";

/** What is recorded of a deleted block. */
interface TrashedBlock {
  readonly object: Extract<TrashedObject, { readonly type: "canvas" | "block" | "file" }>;
  readonly title: string;
  readonly by: Actor;
}

/** Returns what is recorded of a block that an author deletes. */
export function trashedBlock({ actor }: Author, header: BlockHeader): TrashedBlock {
  const [path, folderId = null] = [blockPath(header), blockFolder(header)];
  // A path in no folder is a name only.
  const isFile = path !== undefined && blockFolder(header) !== null;
  const type = header.policy === undefined ? "block" : "canvas";
  const blockId = header.id;
  return {
    object: isFile ? { type: "file", blockId, path, folderId } : { type, blockId },
    title: blockTitle(header),
    by: actor,
  };
}
