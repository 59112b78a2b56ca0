import { isNonEmpty } from "../base/non-empty.ts";
import type { AssistantMessage, ContentBlock, Message, ToolUseBlock } from "./types.ts";

/** Returns the words of a message: its text blocks, joined by blank lines, without thinking, calls and notices. */
export function textOf(message: Message): string {
  const blocks: readonly ContentBlock[] = message.content;
  const texts: string[] = [];
  for (const block of blocks) if (block.type === "text") texts.push(block.text);
  return texts.length === 1 ? (texts[0] ?? "") : texts.join("\n\n");
}

/** Returns the calls of a reply, in their order. */
export function toolUses(message: AssistantMessage): readonly ToolUseBlock[] {
  // Most replies of a long path call nothing, and the whole path is asked before every request.
  return message.content.some(isCall) ? message.content.filter(isCall) : none;
}

const none: readonly ToolUseBlock[] = [];

function isCall(block: ContentBlock): block is ToolUseBlock {
  return block.type === "tool-use";
}

/** Returns the reply without its calls, or null when it holds nothing else. */
export function withoutToolUses(message: AssistantMessage): AssistantMessage | null {
  const content = message.content.filter((block) => block.type !== "tool-use");
  return isNonEmpty(content) ? { ...message, content } : null;
}

/** Returns the reply with a notice for people at its end. */
export function withNotice(message: AssistantMessage, text: string): AssistantMessage {
  return { ...message, content: [...message.content, { type: "notice", text }] };
}

/** Returns the reply marked as interrupted. */
export function interrupted(message: AssistantMessage): AssistantMessage {
  return { ...message, interrupted: true };
}
