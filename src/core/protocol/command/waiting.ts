import * as v from "valibot";
import { onRun } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { messageUnitsMax } from "../base/limits.ts";
import { described, nodeId, runId, textUpTo } from "../base/parts.ts";
import { madeNodeId } from "../shape/forest.ts";

const place = {
  runId,
  id: described(nodeId, "The waiting message: the `waitingId` it was given, which its node will have."),
  version: v.pipe(
    v.number(),
    v.safeInteger(),
    v.minValue(1),
    v.description("The version of the message that the person saw."),
    v.examples([1]),
  ),
};

const refusals = ["RUN_NOT_FOUND", "NODE_NOT_FOUND", "MESSAGE_TAKEN", "CONFLICT"] as const;

export const waitingCommands = {
  "waiting.change": command({
    description:
      "Edits, holds, releases, moves or redirects a message that waits for a run; releasing it while the run is free sends it.",
    params: v.object({
      ...place,
      text: v.exactOptional(
        v.pipe(
          textUpTo(messageUnitsMax),
          v.description("The new text; blank only if something is attached."),
          v.examples(["Only the second chapter"]),
        ),
      ),
      deliver: v.exactOptional(
        v.pipe(
          v.picklist(["steer", "queue", "interrupt"]),
          v.description("When the run takes it: at the next boundary, when it is idle, or at once."),
        ),
      ),
      state: v.exactOptional(
        v.pipe(
          v.picklist(["waiting", "held"]),
          v.description("`held` while a person edits it: the messages behind it go on. `waiting` releases it."),
        ),
      ),
      before: v.exactOptional(
        described(v.nullable(nodeId), "The waiting message that it moves in front of; null moves it behind all."),
      ),
    }),
    access: onRun("conversation.edit"),
    answer: v.object({
      version: v.number(),
      nodeId: described(v.nullable(madeNodeId), "Its node, if this sent it."),
    }),
    refusals: [
      ...refusals,
      "MESSAGE_INVALID",
      "QUEUE_FULL",
      "CONTEXT_EXHAUSTED",
      "TOOL_RESULT_UNPAIRED",
      "CONVERSATION_ENDED",
      "BUDGET_EXCEEDED",
    ],
  }),
  "waiting.withdraw": command({
    description: "Removes a message that waits for a run, and returns its text.",
    params: v.object(place),
    access: onRun("conversation.edit"),
    answer: v.object({ text: v.string() }),
    refusals: [...refusals],
  }),
};
