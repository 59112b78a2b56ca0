import * as v from "valibot";
import { approvalTiers, callPolicies } from "../../forest/run-rules.ts";
import { onConversation, onWorkspace } from "../base/access.ts";
import { trashEntry } from "../shape/trash.ts";
import { command } from "../base/command-row.ts";
import { labelsMax } from "../base/limits.ts";
import {
  shown,
  budget,
  canvasId,
  compaction,
  described,
  folderId,
  label,
  modelId,
  nodeId,
  nothing,
  rootId,
  title,
  toolSyntax,
} from "../base/parts.ts";
import { fallbacks, serverTools, systemPrompt, thinking, toolsOff } from "../base/reply-settings.ts";
import { forestNode, forestRoot, madeNodeId, madeRootId, madeTurnId } from "../shape/forest.ts";
import { segmentFacts, segmentSize } from "../shape/segment.ts";
import { spentEntries } from "../shape/usage.ts";

const made = v.object({ rootId: madeRootId });
const left = v.nullable(v.number());

export const conversationCommands = {
  "conversation.create": command({
    description: "Creates a conversation.",
    params: v.object({
      title: v.exactOptional(described(title, "Defaults to the beginning of the first message.")),
      model: v.exactOptional(modelId),
      toolSyntax: v.exactOptional(toolSyntax),
      canvasId: v.exactOptional(described(v.nullable(canvasId), "The canvas of the conversation.")),
      folderId: v.exactOptional(
        described(
          v.nullable(folderId),
          "The folder that the conversation works in, for good; null: none. Defaults to the canvas's folder, else to the default one.",
        ),
      ),
      systemPrompt: v.exactOptional(systemPrompt),
      thinking: v.exactOptional(thinking),
      toolsOff: v.exactOptional(toolsOff),
      fallbacks: v.exactOptional(fallbacks),
      serverTools: v.exactOptional(serverTools),
    }),
    access: onWorkspace("workspace.create"),
    answer: made,
    refusals: ["MODEL_NOT_FOUND", "INVALID_PARAMS", "BLOCK_NOT_FOUND", "FOLDER_NOT_FOUND", "SETTING_LOCKED"],
  }),
  "conversation.for-settings": command({
    description:
      "Returns the conversation created with exactly these settings, or creates it; no system prompt differs from a blank one.",
    params: v.object({
      systemPrompt: v.exactOptional(systemPrompt),
      model: v.exactOptional(modelId),
    }),
    access: onWorkspace("workspace.manage"),
    answer: made,
    refusals: ["MODEL_NOT_FOUND"],
  }),
  "conversation.find": command({
    description: "Returns a conversation by its id or its short name.",
    params: v.object({ name: described(title, "The `id` or the `slug` of the conversation.") }),
    access: onWorkspace("workspace.see"),
    answer: forestRoot,
    refusals: ["ROOT_NOT_FOUND"],
  }),
  "conversation.delete": command({
    description: "Moves a conversation to the trash, with its sub-agents; keeps canvases.",
    params: v.object({ rootId }),
    access: onConversation("conversation.delete"),
    answer: v.object({ entry: trashEntry }),
    refusals: ["ROOT_NOT_FOUND", "IN_TRASH", "AGENT_BUSY", "CONVERSATION_ENDED"],
  }),
  "conversation.rename": command({
    description: "Renames a conversation.",
    params: v.object({ rootId, title: described(title, "The new title.") }),
    access: onConversation("conversation.add"),
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND"],
  }),
  "conversation.archive": command({
    description:
      "Archives a conversation, so that lists omit it, or takes it out of the archive; it can be read, searched and continued as ever.",
    params: v.object({ rootId, archived: described(v.boolean(), "true: archive it; false: list it again.") }),
    access: onConversation("conversation.edit"),
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND"],
  }),
  "conversation.arrange": command({
    description:
      "Pins a conversation, so that lists show it first, and sets its tags; a field left out keeps its value, and no model is told.",
    params: v.object({
      rootId,
      pinned: v.exactOptional(described(v.boolean(), "Whether lists show it first.")),
      tags: v.exactOptional(
        v.pipe(v.array(label), v.maxLength(labelsMax), v.description("All tags from now on; each counts once.")),
      ),
    }),
    access: onConversation("conversation.edit"),
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND"],
  }),
  "conversation.set-model": command({
    description: "Sets the model that answers, from the next turn on.",
    params: v.object({ rootId, model: modelId }),
    access: onConversation("conversation.edit"),
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND", "MODEL_NOT_FOUND", "CONVERSATION_ENDED"],
  }),
  "conversation.set-tool-syntax": command({
    description: "Sets how the model writes tool calls, from the next request on.",
    params: v.object({
      rootId,
      toolSyntax: described(v.nullable(toolSyntax), "null: the model and the server's settings decide."),
    }),
    access: onConversation("conversation.edit"),
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND", "INVALID_PARAMS", "CONVERSATION_ENDED"],
  }),
  "conversation.rules": command({
    description:
      "Sets which calls need approval, how calls run, what may be used and when branches are summed up, from the next reply on; a field left out keeps its value, null restores the server's setting.",
    params: v.object({
      rootId,
      approvals: v.exactOptional(described(v.nullable(v.picklist(approvalTiers)), "Which tool calls need approval.")),
      callPolicy: v.exactOptional(
        described(v.nullable(v.picklist(callPolicies)), "How several calls of one reply run."),
      ),
      budget: v.exactOptional(v.nullable(budget)),
      compaction: v.exactOptional(described(v.nullable(compaction), "When and by which model branches are summed up.")),
    }),
    access: onConversation("conversation.rules"),
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND", "SETTING_LOCKED"],
  }),
  "conversation.settings": command({
    description:
      "Sets how models are asked, from the next message on: system prompt, thinking, tools, fallbacks, server tools; a field left out keeps its value, null restores the server's setting.",
    params: v.object({
      rootId,
      systemPrompt: v.exactOptional(v.nullable(systemPrompt)),
      thinking: v.exactOptional(v.nullable(thinking)),
      toolsOff: v.exactOptional(v.nullable(toolsOff)),
      fallbacks: v.exactOptional(v.nullable(fallbacks)),
      serverTools: v.exactOptional(v.nullable(serverTools)),
    }),
    access: onConversation("conversation.edit"),
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND", "MODEL_NOT_FOUND", "CONVERSATION_ENDED", "SETTING_LOCKED"],
  }),
  "conversation.trace": command({
    description:
      "Returns the events of the runs of a conversation and of its sub-agents, as the text of a trace file of at most 8 million characters.",
    params: v.object({ rootId }),
    access: onConversation("conversation.trace"),
    answer: v.object({ trace: shown('{"type":"trace"}\n', "JSON lines that `heddle replay` reads.") }),
    refusals: ["ROOT_NOT_FOUND", "FRAME_TOO_LARGE"],
  }),
  "conversation.usage": command({
    description:
      "Returns what a conversation used, including deleted messages and sub-agents, and what its budget leaves.",
    params: v.object({
      rootId,
      messages: v.exactOptional(described(v.boolean(), "Whether the answer lists each message too.")),
    }),
    access: onConversation("conversation.read"),
    answer: v.object({
      total: v.object(spentEntries),
      subAgents: described(v.object(spentEntries), "The part of the total that sub-agents used."),
      turns: described(
        v.array(v.object({ ...spentEntries, turnId: madeTurnId })),
        "Without sub-agents, in the order of their first reply.",
      ),
      models: described(
        v.array(v.object({ ...spentEntries, model: shown("openai/gpt-4o") })),
        "The most expensive model first.",
      ),
      days: described(
        v.array(v.object({ ...spentEntries, day: shown("2026-11-23") })),
        "By UTC day, sub-agents included, the earliest first; without deleted messages.",
      ),
      messages: v.exactOptional(
        described(
          v.array(v.object({ ...spentEntries, nodeId: madeNodeId })),
          "Without sub-agents and deleted messages, in the order of arrival.",
        ),
      ),
      pricesOf: described(shown("2026-11-20"), "The day of Heddle's own table of prices, where no file says others."),
      budget: described(budget, "The limits that apply: the conversation's, else the server's."),
      left: described(v.object({ tokens: left, dollars: left }), "From 0; null without a limit."),
    }),
    refusals: ["ROOT_NOT_FOUND"],
  }),
  "conversation.segment": command({
    description: "Returns a part of a conversation: the end of one path, with the newest siblings of its messages.",
    params: v.object({
      rootId,
      nodeId: described(v.nullable(nodeId), "A message; null for the newest of all."),
      end: v.pipe(
        v.picklist(["here", "leaf"]),
        v.description("Where the path ends: at that message, or at the newest leaf below it."),
      ),
      ...segmentSize,
    }),
    access: onConversation("conversation.read"),
    answer: v.object({
      seq: described(v.number(), "The last entry of the feed that it contains."),
      nodes: described(v.array(forestNode), "The path's messages from above, then their siblings."),
      ...segmentFacts,
    }),
    refusals: ["ROOT_NOT_FOUND"],
  }),
  "conversation.set-canvas": command({
    description: "Sets the canvas of a conversation.",
    params: v.object({ rootId, canvasId: described(v.nullable(canvasId), "null for none.") }),
    access: onConversation("conversation.edit"),
    answer: nothing,
    refusals: ["ROOT_NOT_FOUND", "BLOCK_NOT_FOUND", "CONVERSATION_ENDED"],
  }),
};
