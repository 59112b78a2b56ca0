import * as v from "valibot";
import { writesRun } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, nothing, runId } from "../base/parts.ts";
import { madeNodeId, madeRunId } from "../shape/forest.ts";

export const runCommands = {
  "run.cancel": command({
    description: "Stops the turn under way; what was shown stays.",
    params: v.object({ runId }),
    access: writesRun,
    answer: nothing,
    refusals: ["RUN_NOT_FOUND", "NOTHING_TO_CANCEL", "CANCELLATION_IN_PROGRESS"],
  }),
  "run.retry": command({
    description: "Asks the model again after an error.",
    params: v.object({ runId }),
    access: writesRun,
    answer: nothing,
    refusals: ["RUN_NOT_FOUND", "AGENT_BUSY", "MESSAGE_INVALID", "TOOL_RESULT_UNPAIRED", "CONVERSATION_ENDED"],
  }),
  "run.summarize": command({
    description:
      "Summarizes a branch now, as if the model's window were full; the branch takes no more messages after it.",
    params: v.object({ runId: described(runId, "A run at rest.") }),
    access: writesRun,
    answer: nothing,
    refusals: ["RUN_NOT_FOUND", "AGENT_BUSY", "MESSAGE_INVALID", "TOOL_RESULT_UNPAIRED", "CONVERSATION_ENDED"],
  }),
  "run.continue": command({
    description: "Continues a full branch in a new one that begins with its summary; asked again, it answers the same.",
    params: v.object({ runId: described(runId, "A run in the state `context-exhausted`.") }),
    access: writesRun,
    answer: v.object({ nodeId: described(madeNodeId, "The first message of the new branch."), runId: madeRunId }),
    refusals: ["RUN_NOT_FOUND", "INVALID_TRANSITION", "CONVERSATION_ENDED"],
  }),
};
