import { isWrittenByHeddle } from "../../../core/message/canvas-update.ts";
import { textOf } from "../../../core/message/content.ts";
import { isMessage } from "./json-guards.ts";

/**
 * Returns the text of a stored message for an excerpt. An unreadable message gives an empty text; opening it fails with an
 * error.
 */
export function readableText(content: string): string {
  try {
    const message: unknown = JSON.parse(content);
    return isMessage(message) ? textOf(message) : "";
  } catch {
    return "";
  }
}

/** Returns what the word index of a stored message holds: what was said, not what Heddle tells a model. */
export function searchableText(content: string): string {
  try {
    const message: unknown = JSON.parse(content);
    return isMessage(message) && !isWrittenByHeddle(message) ? textOf(message) : "";
  } catch {
    return "";
  }
}
