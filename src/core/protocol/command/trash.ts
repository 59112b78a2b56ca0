import * as v from "valibot";
import { keptDaysMax } from "../../forest/trash-entry.ts";
import { onBlock, onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { blockId, count, described, trashId } from "../base/parts.ts";
import { trashEntry } from "../shape/trash.ts";

const keptDays = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(keptDaysMax)));
const settings = v.object({
  keptDays: described(keptDays, "How many days the trash keeps what is deleted; null for always."),
});

export const trashCommands = {
  "block.delete": command({
    description:
      "Moves a canvas, a file or another block to the trash; an agent's lease on it ends, and a file of a folder leaves the disk.",
    params: v.object({ blockId }),
    access: onBlock("document.delete"),
    answer: v.object({ entry: trashEntry }),
    refusals: [
      "BLOCK_NOT_FOUND",
      "IN_TRASH",
      "FOLDER_AWAY",
      "FOLDER_READ_ONLY",
      "CONFLICT",
      "FILE_CHANGED",
      "FILE_FAILED",
    ],
  }),
  "trash.list": command({
    description: "Lists what is in the trash, newest first.",
    params: v.object({
      after: v.exactOptional(described(trashId, "Continue after this entry, the last one of the previous answer.")),
      limit: v.exactOptional(
        v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(500), v.description("Default: 100.")),
      ),
    }),
    access: onWorkspace("workspace.list"),
    answer: v.object({
      entries: v.array(trashEntry),
      more: described(v.boolean(), "Whether there are older entries."),
    }),
  }),
  "trash.restore": command({
    description:
      "Restores what is in the trash to where it was, with its id, history and suggestions; a file is on disk again, byte for byte.",
    params: v.object({
      trashId,
      keepBoth: v.exactOptional(
        described(
          v.boolean(),
          "Whether a file comes back as `name (restored)` when another file has its path now; by default that is refused.",
        ),
      ),
    }),
    access: onWorkspace("workspace.keep-own"),
    answer: v.object({ entry: trashEntry }),
    refusals: [
      "NOT_IN_TRASH",
      "IN_TRASH",
      "SIBLING_EXISTS",
      "TOOL_RESULT_UNPAIRED",
      "FILE_EXISTS",
      "FOLDER_AWAY",
      "FOLDER_READ_ONLY",
    ],
  }),
  "trash.purge": command({
    description: "Deletes one entry of the trash, or all of them, for good.",
    params: v.object({ trashId: v.exactOptional(described(trashId, "Only this entry; left out: everything.")) }),
    access: onWorkspace("workspace.keep-own"),
    answer: v.object({ purged: described(count, "How many entries were deleted for good.") }),
    refusals: ["NOT_IN_TRASH"],
  }),
  "trash.settings": command({
    description: "Returns how long the trash keeps what is deleted.",
    params: v.object({}),
    access: onWorkspace("workspace.list"),
    answer: settings,
  }),
  "trash.set-settings": command({
    description:
      "Sets how long the trash keeps what is deleted from now on; what is in it already is kept longer, never shorter.",
    params: settings,
    access: onWorkspace("workspace.set"),
    answer: settings,
  }),
};
