import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import type { folderCommands } from "../../core/protocol/command/folder.ts";
import { folderKey } from "../../core/rights/object-key.ts";
import { readInstructions } from "../instructions/folder-instructions.ts";
import { nothing, type Performs } from "./base/call.ts";

export const performFolder: Performs<keyof typeof folderCommands> = {
  async "folder.list"({ workspace: { folders }, reach, may }) {
    const seen = folders.list().filter(({ id }) => reach === null || reach.folder(id));
    const listed = seen.map(({ removedAt: _removedAt, ...shown }) => shown);
    const canAdd = folders.canAdd && (await may(["workspace.set", { type: "workspace" }]));
    return ok({ folders: listed, canAdd });
  },
  async "folder.instructions"({ workspace, reach }, { folderId }) {
    if (folderId !== null && workspace.folders.get(folderId) === null) {
      return err(refusal("FOLDER_NOT_FOUND", { folder_id: folderId }));
    }
    const { agentsFiles, skills } = await readInstructions(workspace, folderId, reach);
    return ok({ agentsFiles: [...agentsFiles], skills: [...skills] });
  },
  async "folder.add"({ workspace, remember }, params) {
    const added = await workspace.folders.add(params, remember);
    return added.ok ? ok({ folderId: added.value.id }) : added;
  },
  "folder.rename": async ({ workspace, remember }, { folderId, name }) =>
    nothing(await workspace.folders.change(folderId, { name }, remember)),
  "folder.set-rights": async ({ workspace, remember }, { folderId, rights }) =>
    nothing(await workspace.folders.change(folderId, { rights }, remember)),
  "folder.set-branch": async ({ workspace, remember }, { folderId, branch }) =>
    nothing(await workspace.folders.change(folderId, { branch }, remember)),
  "folder.trust": async ({ workspace, remember }, { folderId, trusted }) =>
    nothing(await workspace.folders.change(folderId, { trusted }, remember)),
  "folder.remove": async ({ workspace, remember, noted }, { folderId }) =>
    nothing(
      await workspace.folders.remove(folderId, (answer, rootId) => [
        ...remember(answer, rootId),
        ...noted({ act: "folder.removed", object: folderKey(folderId) }),
      ]),
    ),
};
