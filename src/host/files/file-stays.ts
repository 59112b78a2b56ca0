import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { ToolFolders } from "./folder-types.ts";

/** Whether a block is a file of a folder: deleting the block alone would leave the file on disk, to be opened again. */
export function isFileOfFolder(folders: Pick<ToolFolders, "folderOf">, header: BlockHeader): boolean {
  return header.kind === "file" && header.policy === undefined && folders.folderOf(header) !== null;
}

/** Refuses to delete the block of a file. */
export function fileStays(blockId: BlockId): Refusal {
  return refusal(
    "FORBIDDEN",
    { block_id: blockId },
    "This is a file of a folder, which cannot be deleted here: nothing was changed, neither the document nor the file on disk. Delete the file itself, with a command or in your file manager.",
  );
}
