import { err, ok } from "../../core/base/result.ts";
import type { trashCommands } from "../../core/protocol/command/trash.ts";
import { fileStays, isFileOfFolder } from "../files/file-stays.ts";
import type { Performs } from "./call.ts";

export const performTrash: Performs<keyof typeof trashCommands> = {
  async "block.delete"({ workspace, author, remember }, { blockId }) {
    const header = await workspace.store.block(blockId);
    if (header !== null && isFileOfFolder(workspace.folders, header)) return err(fileStays(blockId));
    const deleted = await workspace.hub.deletion.delete(author(), blockId, {
      also: (_version, entry) => remember({ entry }, null),
    });
    return deleted.ok ? ok({ entry: deleted.value.entry }) : deleted;
  },
  "trash.list": async ({ workspace }, params) => ok(await workspace.trash.list(params)),
  "trash.restore": ({ workspace, author, remember }, { trashId }) =>
    workspace.trash.restore(author(), trashId, remember),
  "trash.purge": ({ workspace, author, remember }, { trashId }) => workspace.trash.purge(author(), trashId, remember),
  "trash.settings": async ({ workspace }) => ok(await workspace.trash.settings()),
  "trash.set-settings": ({ workspace, remember }, settings) => workspace.trash.setSettings(settings, remember),
};
