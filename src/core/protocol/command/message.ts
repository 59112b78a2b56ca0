import type { TrashId } from "../../base/ids.ts";
import * as v from "valibot";
import { onConversation, onNode } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { attachmentsMax, fileNameUnitsMax, labelsMax, messageUnitsMax } from "../base/limits.ts";
import {
  completions,
  described,
  jsonObject,
  label,
  maxTokens,
  modelId,
  nodeId,
  nothing,
  outputSchema,
  rootId,
  sha256,
  temperature,
  textUpTo,
  madeId,
} from "../base/parts.ts";
import { deliveries } from "../../turn/state/waiting.ts";
import { madeNodeId, madeRunId } from "../shape/forest.ts";

const text = v.pipe(
  textUpTo(messageUnitsMax),
  v.check((message) => message.trim() !== "", "a text that is not blank"),
  v.description("The new text, not blank."),
  v.examples(["Hello"]),
);

/** How a reply is requested; the active preset, then the conversation, provide what is left out. */
export const replyOptions = {
  n: v.exactOptional(completions),
  model: v.exactOptional(described(modelId, "The model for this reply, as `provider/model`.")),
  maxTokens: v.exactOptional(maxTokens),
  temperature: v.exactOptional(temperature),
  outputSchema: v.exactOptional(outputSchema),
  inDraft: v.exactOptional(
    described(
      v.boolean(),
      "Whether the reply works in a draft of its own, so that the shared text does not change; each of several replies does by default.",
    ),
  ),
};

const attachment = v.object({
  blobId: described(sha256, "The id from the upload."),
  scaledBlobId: v.exactOptional(
    described(sha256, "The upload of a smaller copy of the same image, for providers that do not take the original."),
  ),
  // Refuses characters that no file system accepts, and those that reverse the direction of a name.
  name: v.exactOptional(
    v.pipe(
      textUpTo(fileNameUnitsMax),
      v.regex(/^[^/\\\p{Cc}\u202a-\u202e\u2066-\u2069]+$/u, "a file name without a path"),
      v.description("The file name, without a path."),
      v.examples(["sketch.png"]),
    ),
  ),
});

const attachments = v.exactOptional(
  v.pipe(
    v.array(attachment),
    v.maxLength(attachmentsMax),
    v.description("Images and files uploaded before (`POST /api/blobs`)."),
  ),
);

const said = v.pipe(
  textUpTo(messageUnitsMax),
  v.description("Blank only if something is attached."),
  v.examples(["Hello"]),
);
const parentNodeId = described(v.nullable(nodeId), "The last message of the branch; null starts a first branch.");

function saysSomething(given: { readonly text: string; readonly attachments?: readonly object[] }): boolean {
  return given.text.trim() !== "" || (given.attachments ?? []).length > 0;
}

const somethingSaid = "a text that is not blank, or an attachment";

/** The place of a split, and the labels of a message. */
export const cutAt = v.pipe(
  v.number(),
  v.safeInteger(),
  v.description("Length of the first half in UTF-16 units, from 1 to the length of the text minus one."),
  v.examples([15]),
);
export const labels = {
  tags: v.exactOptional(
    v.pipe(v.array(label), v.maxLength(labelsMax), v.description("All tags from now on; an empty list removes them.")),
  ),
  customData: v.exactOptional(
    described(v.nullable(jsonObject), "Any object that a program stores with the message; null removes it."),
  ),
};

const changed = v.object({ nodeId: described(madeNodeId, "The message whose path contains the result.") });
const runIds = described(v.array(madeRunId), "The runs that answer, one per reply.");
const firstRunId = described(madeRunId, "The first of them.");

export const messageCommands = {
  "message.send": command({
    description: "Adds a person's message to a branch and asks the model to answer it.",
    params: v.pipe(
      v.object({
        rootId,
        parentNodeId,
        text: said,
        attachments,
        deliver: v.exactOptional(
          v.pipe(
            v.picklist(deliveries),
            v.description(
              "How the message is delivered while the branch is busy: `steer` at the next boundary of the turn, `queue` when it is idle, `interrupt` stops the turn for it, `refuse` (the default) answers why not.",
            ),
          ),
        ),
        queue: v.exactOptional(described(v.boolean(), "true is `deliver: queue`.")),
        ...replyOptions,
      }),
      v.check((given) => saysSomething(given), somethingSaid),
    ),
    access: onConversation("conversation.send"),
    answer: v.object({
      nodeId: described(v.nullable(madeNodeId), "null while the message waits."),
      runId: firstRunId,
      runIds,
      queued: v.boolean(),
      waitingId: described(v.nullable(madeNodeId), "While the message waits: the id that it will have."),
    }),
    refusals: [
      "ROOT_NOT_FOUND",
      "NODE_NOT_FOUND",
      "MODEL_NOT_FOUND",
      "AGENT_BUSY",
      "QUEUE_FULL",
      "CANCELLATION_IN_PROGRESS",
      "AWAITING_APPROVAL",
      "AWAITING_USER_RESPONSE",
      "CONTEXT_EXHAUSTED",
      "CONVERSATION_ENDED",
      "BLOB_NOT_FOUND",
      "MEDIA_OVER_LIMIT",
      "TOOL_RESULT_UNPAIRED",
      "BUDGET_EXCEEDED",
    ],
  }),
  "message.add": command({
    description: "Adds a person's message without asking a model; an existing message is found, not added again.",
    params: v.pipe(
      v.object({ rootId, parentNodeId, text: said, attachments }),
      v.check((given) => saysSomething(given), somethingSaid),
    ),
    access: onConversation("conversation.add"),
    answer: v.object({ nodeId: v.nullable(madeNodeId) }),
    refusals: [
      "ROOT_NOT_FOUND",
      "NODE_NOT_FOUND",
      "BLOB_NOT_FOUND",
      "MEDIA_OVER_LIMIT",
      "TOOL_RESULT_UNPAIRED",
      "CONVERSATION_ENDED",
    ],
  }),
  "message.graft": command({
    description:
      "Copies a stretch of a branch below another message of the conversation, without asking a model; messages that are there already are found, not added again.",
    params: v.object({
      nodeId: described(nodeId, "The last message of the stretch."),
      fromNodeId: described(nodeId, "Its first message: the same, or one above it."),
      parentNodeId: described(v.nullable(nodeId), "The message to put it under; null for the beginning."),
    }),
    access: onNode("conversation.edit"),
    answer: v.object({ nodeId: described(v.nullable(madeNodeId), "The copy of the last message.") }),
    refusals: ["NODE_NOT_FOUND", "MESSAGE_INVALID", "TOOL_RESULT_UNPAIRED", "CONVERSATION_ENDED"],
  }),
  "message.edit": command({
    description: "Adds an edited copy of a message as its sibling; an edited question is answered again.",
    params: v.object({ nodeId, text }),
    access: onNode("conversation.send"),
    answer: v.object({ nodeId: madeNodeId, runId: madeRunId }),
    refusals: ["NODE_NOT_FOUND", "MESSAGE_INVALID", "BRANCH_BUSY", "CONVERSATION_ENDED", "BUDGET_EXCEEDED"],
  }),
  "message.regenerate": command({
    description: "Asks for more replies to the question that a message answers, or to the question itself.",
    params: v.object({ nodeId, ...replyOptions }),
    access: onNode("conversation.send"),
    answer: v.object({ runId: firstRunId, runIds }),
    refusals: [
      "NODE_NOT_FOUND",
      "MODEL_NOT_FOUND",
      "MESSAGE_INVALID",
      "TOOL_RESULT_UNPAIRED",
      "CONVERSATION_ENDED",
      "BUDGET_EXCEEDED",
    ],
  }),
  "message.continue": command({
    description:
      "Goes on from a model's reply, such as one that was cut off at its token limit; the rest is a message below it.",
    params: v.object({ nodeId, ...replyOptions }),
    access: onNode("conversation.send"),
    answer: v.object({ runId: firstRunId, runIds }),
    refusals: [
      "NODE_NOT_FOUND",
      "MODEL_NOT_FOUND",
      "MESSAGE_INVALID",
      "BRANCH_BUSY",
      "CONVERSATION_ENDED",
      "BUDGET_EXCEEDED",
    ],
  }),
  "message.split": command({
    description:
      "Splits a message in two; the answer is the new message, which holds the first half and a copy of the labels, with the old message as its only child.",
    params: v.object({ nodeId, at: cutAt }),
    access: onNode("conversation.edit"),
    answer: changed,
    refusals: [
      "NODE_NOT_FOUND",
      "OFFSET_OUT_OF_RANGE",
      "MESSAGE_INVALID",
      "SIBLING_EXISTS",
      "BRANCH_BUSY",
      "CONVERSATION_ENDED",
    ],
  }),
  "message.rewrite": command({
    description:
      "Replaces the text of a message without asking a model: a leaf changes in place; a message with children is split where the texts differ.",
    params: v.object({ nodeId, text }),
    access: onNode("conversation.edit"),
    answer: changed,
    refusals: ["NODE_NOT_FOUND", "MESSAGE_INVALID", "BRANCH_BUSY", "CONVERSATION_ENDED"],
  }),
  "message.delete": command({
    description: "Moves a message to the trash, with its descendants or alone; succeeds if the message does not exist.",
    params: v.object({
      nodeId,
      reparent: v.exactOptional(described(v.boolean(), "Whether the messages below move up instead of being deleted.")),
      force: v.exactOptional(described(v.boolean(), "Whether bookmarks on deleted messages are deleted too.")),
    }),
    access: onNode("conversation.edit"),
    answer: v.object({
      nodeIds: described(v.array(madeNodeId), "The deleted messages, parents first."),
      trashId: v.exactOptional(described(madeId<TrashId>("trash_01"), "The entry of the trash that has them.")),
    }),
    refusals: ["BOOKMARKED", "BRANCH_BUSY", "SIBLING_EXISTS", "TOOL_RESULT_UNPAIRED", "CONVERSATION_ENDED"],
  }),
  "message.exclude": command({
    description:
      "Leaves a message out of what models receive from the next request on, or includes it again; a call and its results are one.",
    params: v.object({ nodeId, excluded: described(v.boolean(), "Whether models receive it no more.") }),
    access: onNode("conversation.edit"),
    answer: v.object({
      nodeIds: described(v.array(madeNodeId), "The messages that this counts for: the reply, then its results."),
    }),
    refusals: ["NODE_NOT_FOUND", "MESSAGE_INVALID", "BRANCH_BUSY", "CONVERSATION_ENDED"],
  }),
  "message.collapse": command({
    description: "Folds a message for people, or unfolds it; models receive it as ever.",
    params: v.object({ nodeId, collapsed: v.boolean() }),
    access: onNode("conversation.edit"),
    answer: nothing,
    refusals: ["NODE_NOT_FOUND", "CONVERSATION_ENDED"],
  }),
  "message.label": command({
    description:
      "Sets the tags and the custom data of a message, which no model reads; a field left out keeps its value.",
    params: v.object({ nodeId, ...labels }),
    access: onNode("conversation.label"),
    answer: nothing,
    refusals: ["NODE_NOT_FOUND", "CONVERSATION_ENDED"],
  }),
};
