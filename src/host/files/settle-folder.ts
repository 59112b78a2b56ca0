import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import type { SettleFolder } from "../conversation/open-conversations.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Folders } from "./folder-types.ts";

/**
 * Settles the folder of a conversation: the one that was named; else the one of its canvas; else the default. A canvas that
 * is a file of another folder is refused: the conversation could not write it.
 */
export function settleFolder(folders: Folders, reader: Pick<DocumentHub["reader"], "read">): SettleFolder {
  return async ({ folderId, canvasId }) => {
    const canvas = canvasId === undefined || canvasId === null ? null : await reader.read(canvasId);
    const owner = canvas?.ok === true ? folders.folderOf(canvas.value.header) : null;
    const settled = folderId === undefined ? (owner ?? folders.defaultId) : folderId;
    if (owner !== null && owner !== settled) return err(otherFolder);
    if (settled === null) return ok(null);
    const folder = folders.get(settled);
    if (folder === null) return err(refusal("FOLDER_NOT_FOUND", { folder_id: settled }));
    return ok({ folderId: settled, cwd: folder.path });
  };
}

const otherFolder = refusal(
  "INVALID_PARAMS",
  { path: "canvasId", expected: "a canvas that is no file of another folder" },
  "The canvas is a file of another folder than the conversation's, so nothing was changed. Choose a canvas of this folder, or begin a conversation in that one.",
);
