import type {
  AssistantMessage,
  ContentBlock,
  FileBlock,
  ImageBlock,
  Message,
  NoticeBlock,
  OpaqueBlock,
  RefusalBlock,
  SystemMessage,
  TextBlock,
  ThinkingBlock,
  ToolMessage,
  ToolUseBlock,
  UserMessage,
} from "./types.ts";

/** Whether a block is text. The type guards serve as filters; a `switch` on `type` or `role` needs none. */
export function isTextBlock(block: ContentBlock): block is TextBlock {
  return block.type === "text";
}

export function isThinkingBlock(block: ContentBlock): block is ThinkingBlock {
  return block.type === "thinking";
}

/** Whether a block is a tool call. */
export function isToolUseBlock(block: ContentBlock): block is ToolUseBlock {
  return block.type === "tool-use";
}

export function isImageBlock(block: ContentBlock): block is ImageBlock {
  return block.type === "image";
}

export function isFileBlock(block: ContentBlock): block is FileBlock {
  return block.type === "file";
}

export function isRefusalBlock(block: ContentBlock): block is RefusalBlock {
  return block.type === "refusal";
}

export function isOpaqueBlock(block: ContentBlock): block is OpaqueBlock {
  return block.type === "opaque";
}

export function isNoticeBlock(block: ContentBlock): block is NoticeBlock {
  return block.type === "notice";
}

/** Whether a message is a user's. */
export function isUserMessage(message: Message): message is UserMessage {
  return message.role === "user";
}

/** Whether a message is an assistant's. */
export function isAssistantMessage(message: Message): message is AssistantMessage {
  return message.role === "assistant";
}

/** Whether a message is the result of a tool call. */
export function isToolMessage(message: Message): message is ToolMessage {
  return message.role === "tool";
}

export function isSystemMessage(message: Message): message is SystemMessage {
  return message.role === "system";
}
