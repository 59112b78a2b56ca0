import { textBlocksOf } from "../message/text-content.ts";
import type { ForestNode } from "./types.ts";

/** Whether a reply ended at its token limit, and not by itself. */
export function wasCut({ request }: Pick<ForestNode, "request">): boolean {
  return request?.stop === "max-tokens";
}

/** Whether the provider's filter stopped a reply before its end. */
export function wasFiltered({ request }: Pick<ForestNode, "request">): boolean {
  return request?.stop === "content-filter";
}

/** Whether a model can go on from a message: a reply of words, whose calls need no results. */
export function canGoOn({ message }: Pick<ForestNode, "message">): boolean {
  return message.role === "assistant" && !message.content.some(({ type }) => type === "tool-use");
}

/**
 * Whether a request may end with this reply, so that the model goes on inside its last word. Providers refuse blanks at the
 * end; thinking belongs to a whole reply; and the model must know that a reply was interrupted.
 */
export function isPrefillable({ message }: Pick<ForestNode, "message">): boolean {
  if (message.role !== "assistant" || message.interrupted === true) return false;
  const last = textBlocksOf(message)?.at(-1);
  return last !== undefined && last.text === last.text.trimEnd();
}
