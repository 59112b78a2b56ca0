import * as v from "valibot";
import { onTurn } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { shown, count, described, turnId } from "../base/parts.ts";
import { madeBlockId } from "../shape/forest.ts";

const turned = v.object({
  blocks: v.array(
    v.object({
      blockId: madeBlockId,
      version: count,
      changedByOthers: described(v.array(shown("Bo")), "Names of others who edited the same place since."),
    }),
  ),
  unchanged: described(
    v.array(madeBlockId),
    "The documents of the turn that the caller may read and not edit: they are as they were.",
  ),
});

export const turnCommands = {
  "turn.undo": command({
    description:
      "Undoes everything that one turn of an agent changed, in every document that the caller may edit, all or nothing.",
    params: v.object({ turnId }),
    access: onTurn("document.edit"),
    answer: turned,
    refusals: ["NOTHING_TO_UNDO", "UNDO_TOO_OLD", "CANVAS_LEASED"],
  }),
  "turn.redo": command({
    description: "Redoes an undone turn, in every document that the caller may edit.",
    params: v.object({ turnId }),
    access: onTurn("document.edit"),
    answer: turned,
    refusals: ["NOTHING_TO_REDO", "UNDO_TOO_OLD", "CANVAS_LEASED"],
  }),
};
