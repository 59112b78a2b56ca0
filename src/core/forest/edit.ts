import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import { isWrittenByHeddle } from "../message/canvas-update.ts";
import { textOf, toolUses } from "../message/content.ts";
import { isSameMessage, normalizeForComparison } from "../message/normalize.ts";
import { joinedText, withBlanksJoined } from "../message/text-content.ts";
import type { ContentBlock, Message, TextBlock, ToolMessage, UserContentBlock } from "../message/types.ts";
import type { ForestNode } from "./types.ts";

/** The result of editing a message. */
export type EditPlan =
  | { readonly type: "unchanged" }
  /** A branch: the new text as a sibling below the same parent. */
  | { readonly type: "sibling"; readonly message: EditableMessage };

/** A message whose text people may change: any but a tool's result. */
export type EditableMessage = Exclude<Message, ToolMessage>;

/**
 * Plans an "edit and send": always a sibling, so that the answers
 * to both texts can be compared. The node itself, and everything below it, is unchanged. For an edit that
 * keeps the common part of both texts see `planContentEdit`.
 */
export function planEdit(node: ForestNode, text: string): Result<EditPlan, Refusal> {
  const edited = editedMessage(node, [{ type: "text", text }]);
  if (!edited.ok) return edited;
  return ok(edited.value === null ? { type: "unchanged" } : { type: "sibling", message: edited.value });
}

/**
 * Returns the message of a node with another text; null when the text is the same. A person's images and files keep their
 * positions around the text. Of a model's message only the text remains, because its thinking, origin and interruption
 * belonged to the old text. Refuses calls, results and empty texts.
 */
export function editedMessage(
  { id, message }: ForestNode,
  content: NonEmptyArray<TextBlock>,
): Result<EditableMessage | null, Refusal> {
  if (message.role === "tool" || (message.role === "assistant" && toolUses(message).length > 0)) {
    return err(refusal("MESSAGE_INVALID", { node_id: id }, "Tool calls and their results cannot be edited."));
  }
  if (isWrittenByHeddle(message)) {
    return err(refusal("MESSAGE_INVALID", { node_id: id }, "Messages that Heddle wrote for a model cannot be edited."));
  }
  const texts = withBlanksJoined(content);
  if (!isNonEmpty(texts) || normalizeForComparison({ role: "user", content: texts }) === null) {
    return err(refusal("MESSAGE_INVALID", { node_id: id }, "A message cannot be empty."));
  }
  const edited: EditableMessage =
    message.role === "user"
      ? { role: "user", content: withMedia(message.content, texts) }
      : { role: message.role, content: texts };
  return ok(saysTheSame(message, texts) || isSameMessage(message, edited) ? null : edited);
}

/** Whether a reader sees the same text, regardless of block bounds. */
function saysTheSame(message: Message, content: readonly TextBlock[]): boolean {
  const blocks: readonly ContentBlock[] = message.content;
  const before = blocks.filter((block) => block.type === "text");
  const after = joinedText(content);
  return joinedText(before) === after || textOf(message) === after;
}

/** Puts the new text in place of the first old one and keeps the positions of media. */
function withMedia(
  before: NonEmptyArray<UserContentBlock>,
  written: NonEmptyArray<TextBlock>,
): NonEmptyArray<UserContentBlock> {
  const first = before.findIndex((block) => block.type === "text");
  if (first === -1) return [...before, ...written];
  const content = before.flatMap((block, at): readonly UserContentBlock[] => {
    if (at === first) return written;
    return block.type === "text" ? [] : [block];
  });
  return isNonEmpty(content) ? content : written;
}
