import * as v from "valibot";
import { onBlock } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { originsMax } from "../base/limits.ts";
import { shown, blockId, count, described, time, turnId } from "../base/parts.ts";
import { actor } from "../shape/actor.ts";
import { madeRootId, madeTurnId } from "../shape/forest.ts";
import { agentNumber, opSpan } from "../shape/text.ts";

const version = v.object({ version: described(count, "The version of the block afterwards.") });

const origin = v.object({
  span: described(opSpan, "The units of that change around the requested unit."),
  version: described(count, "The version of the block that the change made."),
  at: time,
  actor,
  keptBy: described(v.nullable(actor), "The person who kept the text, if an agent suggested it."),
  rootId: described(v.nullable(madeRootId), "The conversation of the agent's run."),
});

export const blockCommands = {
  "block.undo-mine": command({
    description: "Undoes the caller's last change of a block.",
    params: v.object({ blockId }),
    access: onBlock("document.edit"),
    answer: version,
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "NOTHING_TO_UNDO", "UNDO_TOO_OLD", "CANVAS_LEASED"],
  }),
  "block.redo-mine": command({
    description: "Redoes what the caller last undid in a block.",
    params: v.object({ blockId }),
    access: onBlock("document.edit"),
    answer: version,
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "NOTHING_TO_REDO", "UNDO_TOO_OLD", "CANVAS_LEASED"],
  }),
  "block.turns": command({
    description: "Lists the agents' turns that changed a block, newest first.",
    params: v.object({ blockId }),
    access: onBlock("document.read"),
    answer: v.object({
      turns: v.array(
        v.object({
          turnId: madeTurnId,
          actorName: shown("scribe"),
          at: time,
          undone: described(v.boolean(), "Whether the turn is undone now."),
        }),
      ),
    }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH"],
  }),
  "block.turn-change": command({
    description: "Returns what one turn changed in a block as a unified diff, without other changes.",
    params: v.object({ blockId, turnId }),
    access: onBlock("document.read"),
    answer: v.object({
      diff: shown(
        "@@ -1 +1 @@\n-one\n+two\n",
        "What undoing would remove; or, if the turn is undone, what redoing would restore.",
      ),
      undone: v.boolean(),
      truncated: described(v.boolean(), "Whether the diff was cut because it was too long."),
    }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "NOTHING_TO_UNDO", "UNDO_TOO_OLD"],
  }),
  "block.origins": command({
    description: "Returns the change that wrote each of these units of a text, in the order requested.",
    params: v.object({
      blockId,
      ops: v.pipe(
        v.array(v.object({ replica: agentNumber, seq: count })),
        v.maxLength(originsMax),
        v.description(
          "Units of the text: the number of the replica that wrote each, and its place in that replica's log.",
        ),
      ),
    }),
    access: onBlock("document.read"),
    answer: v.object({
      origins: described(v.array(v.nullable(origin)), "null if that change is no longer stored."),
    }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH"],
  }),
};
