import type { FolderId } from "../../core/base/ids.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { Shell } from "../../core/port/shell.ts";
import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import type { ToolFolders } from "./folder-types.ts";
import type { WorkspaceFiles } from "./workspace-files-types.ts";

export const soleFolderId = "folder_sole" as FolderId;

/** The folders of a tool test: one that always exists, or none. */
export function soleFolder(files: WorkspaceFiles | null, shell: Shell | null): ToolFolders {
  const offer = { files: files !== null, writes: files !== null, shell: shell !== null, hosts: shell?.hosts ?? [] };
  return {
    offer: () => offer,
    offerAnywhere: () => offer,
    async use(id) {
      if (files === null) return err(refusal("FOLDER_NOT_FOUND"));
      const { folder: path } = files;
      const rest = { name: "sole", branch: null, trusted: null, createdAt: 0, removedAt: null };
      return ok({ folder: { id, path, rights: "commands", ...rest }, files, shell });
    },
    folderOf: (header) => (files === null || blockPath(header) === undefined ? null : soleFolderId),
    isRunByGit: async () => false,
    isDirty: (header) => files?.isDirty(header) ?? false,
  };
}
