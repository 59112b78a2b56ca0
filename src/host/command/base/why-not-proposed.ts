import type { Refusal } from "../../../core/base/errors.ts";
import type { FilePart } from "../../../core/block/suggestion/file-part.ts";
import type { Access } from "../../../core/protocol/base/access.ts";
import { lacksRole } from "../../access/why-not-allowed.ts";
import type { CommandCall } from "./call.ts";

/**
 * Returns why somebody may not carry out what was proposed about documents themselves: who accepts that a canvas is deleted must be
 * allowed to delete it, and who accepts it in another folder, or a file at another path, to put it there.
 */
export async function whyNotProposed(
  { workspace, may, asking }: Pick<CommandCall<never>, "workspace" | "may" | "asking">,
  parts: readonly FilePart[],
): Promise<Refusal | null> {
  // Where one person owns everything, tokens alone narrow what is done, and none of them takes drafts.
  if (!asking.member) return null;
  for (const { blockId, proposes } of parts) {
    const header = await workspace.store.block(blockId);
    const folderId = header === null ? null : workspace.folders.folderOf(header);
    const needed: Access[] = [];
    const isPlaced = "path" in proposes && proposes.path !== undefined;
    const isLost = proposes.type === "delete" || (proposes.type === "update" && isPlaced);
    if (isLost && header?.policy !== undefined) needed.push(["document.delete", { type: "block", id: blockId }]);
    const { metadata = {} } = proposes.type === "update" ? proposes : {};
    if ("path" in metadata || "folder_path" in metadata) {
      const to = metadata["folder_path"];
      const path = typeof to === "string" ? to : "";
      needed.push(
        ["document.delete", { type: "block", id: blockId }],
        ["folder.create", { type: "folder-path", path }],
      );
    }
    if (isPlaced && folderId !== null) {
      const verb = proposes.type === "create" ? "folder.create" : "folder.arrange";
      needed.push([verb, { type: "folder", id: folderId, path: proposes.path ?? "" }]);
    }
    for (const access of needed) if (!(await may(access))) return lacksRole();
  }
  return null;
}
