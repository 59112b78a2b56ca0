import { err, ok } from "../../core/base/result.ts";
import type { TrashEntry } from "../../core/forest/trash-entry.ts";
import type { trashCommands } from "../../core/protocol/command/trash.ts";
import { trashAct } from "../access/audit-notes.ts";
import { deleteBlock } from "../files/block-files.ts";
import { whyMissing } from "../document/block/closed-refusal.ts";
import type { Performs } from "./base/call.ts";
import { maySeeTrashed } from "./base/questions.ts";

/** Entries of one answer where it is not said how many. */
const listedDefault = 100;

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
  async "trash.list"({ workspace, asking }, { after, limit = listedDefault }) {
    const seen: TrashEntry[] = [];
    // A page is full, and there are more, as if what is hidden were not there.
    for (let from = after, isOver = false; !isOver && seen.length <= limit;) {
      const { entries, more } = await workspace.trash.list({
        limit: limit + 1,
        ...(from === undefined ? {} : { after: from }),
      });
      const isSeen = await Promise.all(entries.map(({ id }) => maySeeTrashed(asking, id, workspace)));
      seen.push(...entries.filter((_entry, at) => isSeen[at]));
      from = entries.at(-1)?.id;
      isOver = !more;
    }
    return ok({ entries: seen.slice(0, limit), more: seen.length > limit });
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
