import * as v from "valibot";
import { approvalTiers, callPolicies } from "../../forest/run-rules.ts";
import { readsConversation, writesConversation, writesWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { messageUnitsMax } from "../base/limits.ts";
import {
  shown,
  budget,
  canvasId,
  described,
  modelId,
  nothing,
  rootId,
  textUpTo,
  title,
  toolSyntax,
} from "../base/parts.ts";
import { madeRootId, madeTurnId } from "../shape/forest.ts";
import { spentEntries } from "../shape/usage.ts";

const made = v.object({ rootId: madeRootId });
const left = v.nullable(v.number());

export const conversationCommands = {
  "conversation.create": command({
    description: "Creates a conversation.",
    params: v.object({
      title: v.exactOptional(described(title, "Without one, the first message gives it.")),
      model: v.exactOptional(modelId),
      toolSyntax: v.exactOptional(toolSyntax),
      canvasId: v.exactOptional(described(v.nullable(canvasId), "The canvas that the conversation works on.")),
    }),
    access: writesWorkspace,
    answer: made,
    refusals: ["MODEL_NOT_FOUND", "INVALID_PARAMS", "BLOCK_NOT_FOUND"],
  }),
  "conversation.for-settings": command({
    description:
      "Returns the conversation that was asked for with exactly these settings before, or creates it; no system prompt differs from a blank one.",
    params: v.object({
      systemPrompt: v.exactOptional(
        v.pipe(
          textUpTo(messageUnitsMax),
          v.description("Without one, the conversation has Heddle's own."),
          v.examples(["Be brief."]),
        ),
      ),
      model: v.exactOptional(modelId),
    }),
    access: writesWorkspace,
    answer: made,
    refusals: ["MODEL_NOT_FOUND"],
  }),
  "conversation.delete": command({
    description: "Deletes a conversation for good, with the sub-agents that worked for it; canvases are kept.",
    params: v.object({ rootId }),
    access: writesConversation,
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND", "AGENT_BUSY", "CONVERSATION_ENDED"],
  }),
  "conversation.rename": command({
    description: "Gives a conversation another title.",
    params: v.object({ rootId, title: described(title, "The new title.") }),
    access: writesConversation,
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND"],
  }),
  "conversation.set-model": command({
    description: "Sets the model that answers from the next turn on.",
    params: v.object({ rootId, model: modelId }),
    access: writesConversation,
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND", "MODEL_NOT_FOUND", "CONVERSATION_ENDED"],
  }),
  "conversation.set-tool-syntax": command({
    description: "Sets how the model writes tool calls from the next request on.",
    params: v.object({
      rootId,
      toolSyntax: described(v.nullable(toolSyntax), "null: the model and the server's settings decide."),
    }),
    access: writesConversation,
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND", "INVALID_PARAMS", "CONVERSATION_ENDED"],
  }),
  "conversation.rules": command({
    description:
      "Sets which calls need a person, how calls are carried out and what may be used up, from the next reply on; a part that is left out stays, null takes the server's setting.",
    params: v.object({
      rootId,
      approvals: v.exactOptional(described(v.nullable(v.picklist(approvalTiers)), "Which tool calls need a person.")),
      callPolicy: v.exactOptional(
        described(v.nullable(v.picklist(callPolicies)), "How several calls of one reply are carried out."),
      ),
      budget: v.exactOptional(v.nullable(budget)),
    }),
    access: writesConversation,
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND"],
  }),
  "conversation.trace": command({
    description:
      "Returns what the runs of a conversation and of its sub-agents went through, as the text of a trace file of at most 8 million characters.",
    params: v.object({ rootId }),
    access: readsConversation,
    answer: v.object({ trace: shown('{"type":"trace"}\n', "JSON lines that `heddle replay` reads.") }),
    refusals: ["ROOT_NOT_FOUND", "FRAME_TOO_LARGE"],
  }),
  "conversation.usage": command({
    description:
      "Returns what a conversation used up, deleted messages and sub-agents included, and what its budget leaves.",
    params: v.object({ rootId }),
    access: readsConversation,
    answer: v.object({
      total: v.object(spentEntries),
      subAgents: described(v.object(spentEntries), "The part of the total that sub-agents used up."),
      turns: described(
        v.array(v.object({ ...spentEntries, turnId: madeTurnId })),
        "Without sub-agents, in the order of their first reply.",
      ),
      models: described(
        v.array(v.object({ ...spentEntries, model: shown("openai/gpt-4o") })),
        "The most expensive model first.",
      ),
      budget: described(budget, "The bounds that apply: the conversation's own, else the server's."),
      left: described(v.object({ tokens: left, dollars: left }), "From 0; null without a bound."),
    }),
    refusals: ["ROOT_NOT_FOUND"],
  }),
  "conversation.set-canvas": command({
    description: "Sets the canvas that a conversation works on.",
    params: v.object({ rootId, canvasId: described(v.nullable(canvasId), "null for none.") }),
    access: writesConversation,
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND", "BLOCK_NOT_FOUND", "CONVERSATION_ENDED"],
  }),
};
