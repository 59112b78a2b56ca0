import type { NonEmptyArray } from "../base/non-empty.ts";
import { joinedText, textBlocksOf } from "./text-content.ts";
import type { AssistantMessage, Message, TextBlock } from "./types.ts";

/**
 * Puts the blocks of adjacent text-only messages of one role (user or assistant) into one message. A message with
 * anything but text is never touched, a tool message neither. Strings are joined only where a `separator` is given, which
 * stands between messages: for wires that take a single string.
 */
export function coalesceTextOnlyAdjacent(messages: readonly Message[], separator?: string): readonly Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const pair = last === undefined ? null : join(last, message, separator);
    if (pair === null) joined.push(message);
    else joined[joined.length - 1] = pair;
  }
  return joined;
}

function join(first: Message, second: Message, separator: string | undefined): Message | null {
  if (first.role !== second.role || (first.role !== "user" && first.role !== "assistant")) return null;
  const before = textBlocksOf(first);
  const after = textBlocksOf(second);
  if (before === null || after === null) return null;
  const content: NonEmptyArray<TextBlock> =
    separator === undefined
      ? [before[0], ...before.slice(1), ...after]
      : [{ type: "text", text: `${joinedText(before)}${separator}${joinedText(after)}` }];
  if (first.role === "user") return { role: "user", content };
  return { role: "assistant", content, ...fate(second) };
}

/** The joined message ends as its last part did. */
function fate(message: Message): Pick<AssistantMessage, "interrupted" | "origin"> {
  if (message.role !== "assistant") return {};
  return {
    ...(message.interrupted === undefined ? {} : { interrupted: message.interrupted }),
    ...(message.origin === undefined ? {} : { origin: message.origin }),
  };
}
