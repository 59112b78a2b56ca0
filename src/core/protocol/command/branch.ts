import * as v from "valibot";
import { onConversation, onNode } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, jsonObject, modelId, nodeId, rootId, shown, textUpTo } from "../base/parts.ts";
import { messageSchema } from "../../message/read.ts";
import { madeBlockId, madeNodeId, madeRunId } from "../shape/forest.ts";

/** Longest wish for a summary. UTF-16 units. */
const focusUnitsMax = 2_000;

const end = described(nodeId, "The last message of the branch.");
const summaryOf = described(nodeId, "The compaction node, or a message below it: then the last one above counts.");
const tokens = v.pipe(v.number(), v.description("Estimated tokens."), v.examples([120]));

const leftOutWhy = v.variant("reason", [
  v.object({ reason: v.literal("excluded"), with: described(madeNodeId, "The message that a person left out.") }),
  v.object({ reason: v.literal("summed-up"), by: described(madeNodeId, "The compaction node that replaces it.") }),
  v.object({ reason: v.literal("unused-summary") }),
]);

export const branchCommands = {
  "branch.compact": command({
    description:
      "Sums up what lies far back in a branch for later requests: at once, before the next request of a turn under way, or when that turn is over; the messages are kept.",
    params: v.object({
      nodeId: end,
      through: v.exactOptional(described(nodeId, "The last message to sum up; by default the newest turns are kept.")),
      focus: v.exactOptional(
        v.pipe(textUpTo(focusUnitsMax), v.description("What the summary keeps above all."), v.examples(["all names"])),
      ),
    }),
    access: onNode("conversation.edit"),
    answer: v.object({
      runId: madeRunId,
      waits: described(v.boolean(), "Whether it waits for the next request or the end of the turn."),
    }),
    refusals: [
      "NODE_NOT_FOUND",
      "NOTHING_TO_COMPACT",
      "AGENT_BUSY",
      "CANCELLATION_IN_PROGRESS",
      "CONTEXT_EXHAUSTED",
      "TOOL_RESULT_UNPAIRED",
      "CONVERSATION_ENDED",
      "BUDGET_EXCEEDED",
    ],
  }),
  "branch.originals": command({
    description: "Switches a compaction node off: requests hold the messages that it replaced again.",
    params: v.object({ nodeId: summaryOf }),
    access: onNode("conversation.edit"),
    answer: v.object({ nodeId: madeNodeId }),
    refusals: ["NODE_NOT_FOUND", "NOTHING_TO_COMPACT", "CONTEXT_FULL", "BRANCH_BUSY", "CONVERSATION_ENDED"],
  }),
  "branch.summary": command({
    description: "Switches a compaction node on again: requests hold its text instead of the messages.",
    params: v.object({ nodeId: summaryOf }),
    access: onNode("conversation.edit"),
    answer: v.object({ nodeId: madeNodeId }),
    refusals: ["NODE_NOT_FOUND", "NOTHING_TO_COMPACT", "BRANCH_BUSY", "CONVERSATION_ENDED"],
  }),
  "branch.context": command({
    description: "Returns what the next request of a branch holds, with tokens by part, and what is left out and why.",
    params: v.object({
      rootId,
      nodeId: described(v.nullable(nodeId), "The last message of the branch; null for an empty one."),
      model: v.exactOptional(described(modelId, "The model that would answer; by default the conversation's.")),
    }),
    access: onConversation("conversation.read"),
    answer: v.object({
      model: shown("openai/gpt-4o"),
      window: described(v.nullable(v.number()), "The model's window in tokens; null when unknown."),
      compactAt: described(
        v.nullable(v.number()),
        "Percent of the window from which on the branch is summed up; null for never.",
      ),
      total: tokens,
      system: v.object({ tokens, text: v.string() }),
      tools: v.object({
        tokens,
        list: v.array(v.object({ name: v.string(), tokens, description: v.string(), inputSchema: jsonObject })),
      }),
      messages: described(
        v.array(
          v.object({
            nodeId: described(v.nullable(madeNodeId), "null: Heddle adds it before the next message of a person."),
            kind: v.picklist(["message", "summary", "canvas-update", "instruction"]),
            tokens,
            message: messageSchema,
          }),
        ),
        "In the order in which they are sent.",
      ),
      leftOut: described(
        v.array(v.object({ nodeId: madeNodeId, role: v.string(), tokens, why: leftOutWhy })),
        "The other messages of the branch, in their order.",
      ),
      canvases: described(
        v.array(v.object({ canvasId: madeBlockId, title: v.string() })),
        "Canvases that are excluded: their changes are not reported.",
      ),
    }),
    refusals: ["ROOT_NOT_FOUND", "NODE_NOT_FOUND", "MODEL_NOT_FOUND"],
  }),
};
