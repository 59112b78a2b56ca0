import { unreachable } from "../base/assert.ts";
import { canonicalJson } from "../base/json.ts";
import { isNonEmpty } from "../base/non-empty.ts";
import type { ContentBlock, Message } from "./types.ts";

/**
 * The message without empty text blocks, unless they carry a provider's signature; null when nothing is left. A tool
 * message always stays, because it answers a call: empty output is one empty text block.
 */
export function normalizeForComparison(message: Message): Message | null {
  switch (message.role) {
    case "user": {
      const content = message.content.filter(saysSomething);
      return isNonEmpty(content) ? { ...message, content } : null;
    }
    case "system": {
      const content = message.content.filter(saysSomething);
      return isNonEmpty(content) ? { ...message, content } : null;
    }
    case "assistant": {
      const content = message.content.filter(saysSomething);
      return isNonEmpty(content) ? { ...message, content } : null;
    }
    case "tool": {
      const content = message.content.filter(saysSomething);
      return { ...message, content: isNonEmpty(content) ? content : [{ type: "text", text: "" }] };
    }
    default:
      return unreachable(message);
  }
}

/**
 * Text that is equal exactly for messages that say the same: normalised, object key order not counted, and without what
 * only tells how a message came about (who wrote it, how arguments were spelled, an API's own extras, lease and revision).
 */
export function comparisonKey(message: Message): string {
  const normal = normalizeForComparison(message);
  if (normal === null) return "null";
  const content: readonly ContentBlock[] = normal.content;
  const provenance = { origin: undefined, synthetic: undefined, revision_id: undefined, lease_id: undefined };
  return canonicalJson({ ...normal, ...provenance, content: content.map(said) });
}

/** Whether two messages say the same. */
export function isSameMessage(a: Message, b: Message): boolean {
  return comparisonKey(a) === comparisonKey(b);
}

function saysSomething(block: ContentBlock): boolean {
  return block.type !== "text" || block.text.trim() !== "" || block.native !== undefined;
}

function said(block: ContentBlock): object {
  return { ...block, native: undefined, rawParameters: undefined };
}
