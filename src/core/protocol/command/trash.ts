import * as v from "valibot";
import type { TrashId } from "../../base/ids.ts";
import { keptDaysMax, type TrashEntry } from "../../forest/trash-entry.ts";
import { readsWorkspace, writesBlock, writesWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { blockId, count, described, madeId, shown, time, trashId } from "../base/parts.ts";
import { actor } from "../shape/actor.ts";
import { madeBlockId } from "../shape/forest.ts";

const trashedObject = v.variant("type", [
  v.object({ type: v.literal("canvas"), blockId: madeBlockId }),
  v.object({ type: v.literal("block"), blockId: madeBlockId }),
]);

/** Something in the trash. */
const trashEntry: v.GenericSchema<unknown, TrashEntry> = v.object({
  id: madeId<TrashId>("trash_01"),
  object: trashedObject,
  title: shown("Plan", "The title when it was deleted."),
  by: described(actor, "Who deleted it; an agent with its run, turn and tool call."),
  at: time,
  purgeAt: described(v.nullable(time), "When it is deleted for good; null for never."),
});

const keptDays = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(keptDaysMax)));
const settings = v.object({
  keptDays: described(keptDays, "How many days the trash keeps what is deleted; null for always."),
});

export const trashCommands = {
  "block.delete": command({
    description: "Moves a canvas or another block to the trash; an agent's lease on it ends.",
    params: v.object({ blockId }),
    access: writesBlock,
    answer: v.object({ entry: trashEntry }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH"],
  }),
  "trash.list": command({
    description: "Lists what is in the trash, newest first.",
    params: v.object({
      after: v.exactOptional(described(trashId, "Continue after this entry, the last one of the previous answer.")),
      limit: v.exactOptional(
        v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(500), v.description("Default: 100.")),
      ),
    }),
    access: readsWorkspace,
    answer: v.object({
      entries: v.array(trashEntry),
      more: described(v.boolean(), "Whether there are older entries."),
    }),
  }),
  "trash.restore": command({
    description: "Restores what is in the trash to where it was, with its id, history and suggestions.",
    params: v.object({ trashId }),
    access: writesWorkspace,
    answer: v.object({ entry: trashEntry }),
    refusals: ["NOT_IN_TRASH"],
  }),
  "trash.purge": command({
    description: "Deletes one entry of the trash, or all of them, for good.",
    params: v.object({ trashId: v.exactOptional(described(trashId, "Only this entry; left out: everything.")) }),
    access: writesWorkspace,
    answer: v.object({ purged: described(count, "How many entries were deleted for good.") }),
    refusals: ["NOT_IN_TRASH"],
  }),
  "trash.settings": command({
    description: "Returns how long the trash keeps what is deleted.",
    params: v.object({}),
    access: readsWorkspace,
    answer: settings,
  }),
  "trash.set-settings": command({
    description:
      "Sets how long the trash keeps what is deleted from now on; what is in it already is kept longer, never shorter.",
    params: settings,
    access: writesWorkspace,
    answer: settings,
  }),
};
