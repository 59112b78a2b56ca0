import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { BlockDeletion, BlockEntry, TrashOptions, TrashStep } from "../document/block-deletion.ts";
import type { Author } from "../document/record/types.ts";
import type { ToolFolders } from "./folder-types.ts";
import type { WorkspaceFiles } from "./workspace-files-types.ts";

interface BlockFilesPorts {
  readonly folders: Pick<ToolFolders, "folderOf" | "use">;
  readonly deletion: BlockDeletion;
}

/**
 * Returns the files among which a block's file can be moved and deleted; null for a block that is no file of a folder.
 * Refused when that folder is away or may only be read.
 */
export async function writableFiles(
  { folders }: Pick<BlockFilesPorts, "folders">,
  header: BlockHeader,
): Promise<Result<WorkspaceFiles | null, Refusal>> {
  const folderId = header.kind === "file" ? folders.folderOf(header) : null;
  if (folderId === null) return ok(null);
  const used = await folders.use(folderId);
  if (!used.ok) return used;
  const { folder, files } = used.value;
  return folder.rights === "read" ? err(refusal("FOLDER_READ_ONLY", { folder: folder.path })) : ok(files);
}

/** Moves a block to the trash; a file of a folder leaves the disk too. */
export async function deleteBlock(
  ports: BlockFilesPorts,
  author: Author,
  header: BlockHeader,
  options: TrashOptions,
): Promise<Result<TrashStep, Refusal>> {
  const files = await writableFiles(ports, header);
  if (!files.ok) return files;
  return files.value === null
    ? ports.deletion.delete(author, header.id, options)
    : files.value.delete(author, header.id, options);
}

/** A restored block; for a file the path that it has now. */
interface RestoredBlock extends TrashStep {
  readonly path: string | null;
}

/** Restores a block from the trash; a file of a folder is written to disk again. */
export async function restoreBlock(
  ports: BlockFilesPorts,
  author: Author,
  { entry, header }: { readonly entry: BlockEntry; readonly header: BlockHeader | null },
  options: TrashOptions & { readonly keepsBoth?: boolean },
): Promise<Result<RestoredBlock, Refusal>> {
  const isFile = header !== null && entry.object.type === "file";
  const files = isFile ? await writableFiles(ports, header) : ok(null);
  if (!files.ok) return files;
  if (files.value !== null) return files.value.restore(author, entry, options);
  const restored = await ports.deletion.restore(author, entry, options);
  return restored.ok ? ok({ ...restored.value, path: null }) : restored;
}
