import { err, ok } from "../../core/base/result.ts";
import type { trashCommands } from "../../core/protocol/command/trash.ts";
import { trashAct } from "../access/audit-notes.ts";
import { deleteBlock } from "../files/block-files.ts";
import { whyMissing } from "../document/block/closed-refusal.ts";
import type { Performs } from "./call.ts";
import { maySeeTrashed } from "./questions.ts";

export const performTrash: Performs<keyof typeof trashCommands> = {
  async "block.delete"({ workspace, author, remember, noted }, { blockId }) {
    const header = await workspace.store.block(blockId);
    if (header === null) return err(await whyMissing(workspace.store, blockId));
    const ports = { folders: workspace.folders, deletion: workspace.hub.deletion };
    const deleted = await deleteBlock(ports, author(), header, {
      also: (_version, entry) => [...remember({ entry }, null), ...noted(trashAct("deleted", entry))],
    });
    return deleted.ok ? ok({ entry: deleted.value.entry }) : deleted;
  },
  async "trash.list"({ workspace, asking }, params) {
    const { entries, more } = await workspace.trash.list(params);
    const isSeen = await Promise.all(entries.map(({ id }) => maySeeTrashed(asking, id, workspace)));
    return ok({ entries: entries.filter((_entry, at) => isSeen[at]), more });
  },
  "trash.restore": ({ workspace, author, remember, noted }, { trashId, keepBoth = false }) =>
    workspace.trash.restore(author(), { id: trashId, keepsBoth: keepBoth }, (answer, rootId) => [
      ...remember(answer, rootId),
      ...noted(trashAct("restored", answer.entry)),
    ]),
  async "trash.purge"({ workspace, author, remember, noted }, { trashId }) {
    const entry = trashId === undefined ? null : await workspace.store.trashEntry(trashId);
    return workspace.trash.purge(author(), trashId, (answer, rootId) => [
      ...remember(answer, rootId),
      ...(entry === null ? [] : noted(trashAct("purged", entry))),
    ]);
  },
  "trash.settings": async ({ workspace }) => ok(await workspace.trash.settings()),
  "trash.set-settings": ({ workspace, remember }, settings) => workspace.trash.setSettings(settings, remember),
};
