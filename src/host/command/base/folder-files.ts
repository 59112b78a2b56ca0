import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId, FolderId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { WorkspaceFiles } from "../../files/workspace-files-types.ts";
import type { Workspace } from "../../workspace/workspace.ts";

const noFolderWords =
  "This server has no folder of files. Add one with folder.add, or start the server with --workspace DIR.";

/** Returns the files of a folder, by default of the default one. FOLDER_AWAY when it is not at its path. */
export async function folderFiles(
  { folders }: Pick<Workspace, "folders">,
  folderId: FolderId | undefined,
): Promise<Result<WorkspaceFiles, Refusal>> {
  const wanted = folderId ?? folders.defaultId;
  if (wanted === null) return err(refusal("FILE_NOT_FOUND", {}, noFolderWords));
  const used = await folders.use(wanted);
  return used.ok ? ok(used.value.files) : used;
}

/** Like `folderFiles`; FOLDER_READ_ONLY when the folder may only be read. */
export async function writableFolderFiles(
  workspace: Pick<Workspace, "folders">,
  folderId: FolderId | undefined,
): Promise<Result<WorkspaceFiles, Refusal>> {
  const files = await folderFiles(workspace, folderId);
  const wanted = folderId ?? workspace.folders.defaultId;
  const isReadOnly = wanted !== null && workspace.folders.get(wanted)?.rights === "read";
  return files.ok && isReadOnly ? err(refusal("FOLDER_READ_ONLY", { folder: files.value.folder })) : files;
}

/** Returns the files of the folder that a block's file is in. */
export async function filesOfBlock(
  { folders, hub }: Pick<Workspace, "folders" | "hub">,
  blockId: BlockId,
): Promise<Result<WorkspaceFiles, Refusal>> {
  const read = await hub.reader.read(blockId);
  const folderId = read.ok ? folders.folderOf(read.value.header) : null;
  if (folderId === null) return err(refusal("FILE_NOT_FOUND", { block_id: blockId }));
  const used = await folders.use(folderId);
  return used.ok ? ok(used.value.files) : used;
}
