import { unreachable } from "../base/assert.ts";
import { canonicalJson } from "../base/json.ts";
import { isNonEmpty } from "../base/non-empty.ts";
import type { ContentBlock, Message } from "./types.ts";

/** How exactly two messages must agree to be equal: to the letter, or except for blanks around each text. */
export type Match = "exact" | "trimmed";

/**
 * Returns a message without its empty texts, or null when nothing is left. A text of white space counts as empty; one
 * with a provider's signature stays. A tool message always stays, with one empty text if it had none, because it
 * answers a call.
 */
export function normalizeForComparison(message: Message): Message | null {
  return keeping(message, saysSomething);
}

/** Returns the message as stored: without zero-length texts, which no provider accepts; null when nothing is left. */
export function withoutEmptyTexts(message: Message): Message | null {
  return keeping(message, (block) => block.type !== "text" || block.text !== "" || block.native !== undefined);
}

function keeping(message: Message, keep: (block: ContentBlock) => boolean): Message | null {
  switch (message.role) {
    case "user": {
      const content = message.content.filter(keep);
      return isNonEmpty(content) ? { ...message, content } : null;
    }
    case "system": {
      const content = message.content.filter(keep);
      return isNonEmpty(content) ? { ...message, content } : null;
    }
    case "assistant": {
      const content = message.content.filter(keep);
      return isNonEmpty(content) ? { ...message, content } : null;
    }
    case "tool": {
      const content = message.content.filter(keep);
      return { ...message, content: isNonEmpty(content) ? content : [{ type: "text", text: "" }] };
    }
    default:
      return unreachable(message);
  }
}

/**
 * Returns a text that is equal exactly for messages that say the same: normalised, the order of object keys ignored, and
 * without provenance (author, people's edits, spelling of arguments, an API's native extras, lease and revision).
 */
export function comparisonKey(message: Message, match: Match = "exact"): string {
  const normal = normalizeForComparison(message);
  if (normal === null) return "null";
  const content: readonly ContentBlock[] = normal.content;
  const interrupted = normal.role === "assistant" && normal.interrupted === true ? true : undefined;
  const provenance = { origin: undefined, synthetic: undefined, revision_id: undefined, lease_id: undefined };
  const native = undefined;
  return canonicalJson({
    ...normal,
    ...provenance,
    native,
    interrupted,
    content: content.map((block) => said(block, match)),
  });
}

/** Whether two messages say the same. */
export function isSameMessage(a: Message, b: Message, match: Match = "exact"): boolean {
  return comparisonKey(a, match) === comparisonKey(b, match);
}

function saysSomething(block: ContentBlock): boolean {
  return block.type !== "text" || block.text.trim() !== "" || block.native !== undefined;
}

function said(block: ContentBlock, match: Match): object {
  const bare = { ...block, native: undefined, rawParameters: undefined, unsent: undefined, editedBy: undefined };
  return match === "trimmed" && block.type === "text" ? { ...bare, text: block.text.trim() } : bare;
}
