import { isNonEmpty } from "../base/non-empty.ts";
import type { AssistantMessage, ContentBlock, Message, ToolUseBlock } from "./types.ts";

/** What a message says in words: its text blocks, joined by blank lines. Thinking, calls and notices are left out. */
export function textOf(message: Message): string {
  const blocks: readonly ContentBlock[] = message.content;
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}

/** The calls of a reply, in the order asked. */
export function toolUses(message: AssistantMessage): readonly ToolUseBlock[] {
  return message.content.filter((block) => block.type === "tool-use");
}

/** The same reply without its calls; null when it holds nothing else. */
export function withoutToolUses(message: AssistantMessage): AssistantMessage | null {
  const content = message.content.filter((block) => block.type !== "tool-use");
  return isNonEmpty(content) ? { ...message, content } : null;
}

/** The same reply with a remark for people at its end. */
export function withNotice(message: AssistantMessage, text: string): AssistantMessage {
  return { ...message, content: [...message.content, { type: "notice", text }] };
}

/** The same reply, marked as cut off. */
export function interrupted(message: AssistantMessage): AssistantMessage {
  return { ...message, interrupted: true };
}
