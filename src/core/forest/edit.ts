import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import { isHeddlesWord } from "../message/canvas-update.ts";
import { textOf, toolUses } from "../message/content.ts";
import { isSameMessage, normalizeForComparison } from "../message/normalize.ts";
import { joinedText, withBlanksJoined } from "../message/text-content.ts";
import type { ContentBlock, Message, TextBlock, ToolMessage, UserContentBlock } from "../message/types.ts";
import type { ForestNode } from "./types.ts";

/** What an edit of a message comes to. */
export type EditPlan =
  | { readonly type: "unchanged" }
  /** A branch: the new text stands beside the old one, below the same parent. */
  | { readonly type: "sibling"; readonly message: EditableMessage };

/** A message whose text people may change: anything but a tool's result. */
export type EditableMessage = Exclude<Message, ToolMessage>;

/**
 * Decides what writing a message anew does, as an app's "edit and send" means it: always a sibling, so that the answers
 * to both texts can be compared. The node itself stays as it is, and what is below it stays below it. For an edit that
 * keeps what two texts have in common see `planContentEdit`.
 */
export function planEdit(node: ForestNode, text: string): Result<EditPlan, Refusal> {
  const edited = editedMessage(node, [{ type: "text", text }]);
  if (!edited.ok) return edited;
  return ok(edited.value === null ? { type: "unchanged" } : { type: "sibling", message: edited.value });
}

/**
 * The message of a node with another text; null when it says the same as before. A person's images and files stay where
 * they stood around the text. Of a model's message the text alone is left: its thinking, its origin and its cut-off end
 * belonged to what it said. Calls, results and empty texts are refused.
 */
export function editedMessage(
  { id, message }: ForestNode,
  content: NonEmptyArray<TextBlock>,
): Result<EditableMessage | null, Refusal> {
  if (message.role === "tool" || (message.role === "assistant" && toolUses(message).length > 0)) {
    return err(refusal("MESSAGE_INVALID", { node_id: id }, "Tool calls and their results cannot be edited."));
  }
  if (isHeddlesWord(message)) {
    return err(refusal("MESSAGE_INVALID", { node_id: id }, "What Heddle told a model stays as it was told."));
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

/** Whether a reader sees the same text, wherever its blocks end. */
function saysTheSame(message: Message, content: readonly TextBlock[]): boolean {
  const blocks: readonly ContentBlock[] = message.content;
  const before = blocks.filter((block) => block.type === "text");
  const after = joinedText(content);
  return joinedText(before) === after || textOf(message) === after;
}

/** The new text in place of the first old one, and the media as they stood. */
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
