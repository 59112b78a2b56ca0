import * as v from "valibot";
import { onRun } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, nothing, runId } from "../base/parts.ts";
import { madeNodeId, madeRunId } from "../shape/forest.ts";

/** Why the model of an idle run is not asked. */
const whyNotAsked = [
  "RUN_NOT_FOUND",
  "AGENT_BUSY",
  "MESSAGE_INVALID",
  "TOOL_RESULT_UNPAIRED",
  "CONVERSATION_ENDED",
  "BUDGET_EXCEEDED",
] as const;

export const runCommands = {
  "run.cancel": command({
    description: "Cancels the current turn; what was shown is kept.",
    params: v.object({ runId }),
    access: onRun("conversation.send"),
    answer: nothing,
    refusals: ["RUN_NOT_FOUND", "NOTHING_TO_CANCEL", "CANCELLATION_IN_PROGRESS"],
  }),
  "run.retry": command({
    description: "Asks the model again after an error.",
    params: v.object({ runId }),
    access: onRun("conversation.send"),
    answer: nothing,
    refusals: whyNotAsked,
  }),
  "run.summarize": command({
    description:
      "Summarises a branch now, as if the model's context were full; the branch accepts no more messages afterwards.",
    params: v.object({ runId: described(runId, "An idle run.") }),
    access: onRun("conversation.edit"),
    answer: nothing,
    refusals: whyNotAsked,
  }),
  "run.continue": command({
    description:
      "Continues a full branch in a new one that begins with its summary; repeated calls return the same branch.",
    params: v.object({ runId: described(runId, "A run in the state `context-exhausted`.") }),
    access: onRun("conversation.edit"),
    answer: v.object({ nodeId: described(madeNodeId, "The first message of the new branch."), runId: madeRunId }),
    refusals: ["RUN_NOT_FOUND", "INVALID_TRANSITION", "CONVERSATION_ENDED", "BUDGET_EXCEEDED"],
  }),
};
