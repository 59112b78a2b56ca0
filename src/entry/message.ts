// `heddle/message`: messages made of content blocks, and the earlier form of messages. See docs/library/message.md.

export { stableDeepEqual } from "../core/base/json.ts";
export { coalesceTextOnlyAdjacent } from "../core/message/coalesce.ts";
export {
  isAssistantMessage,
  isTextBlock,
  isToolMessage,
  isToolUseBlock,
  isUserMessage,
} from "../core/message/guards.ts";
export {
  InvalidMessageError,
  isMessageV2,
  legacyToContentBlocks,
  normalizeMessage,
  ToolArgumentParseError,
  v2ToLegacyMessage,
} from "../core/message/legacy.ts";
export { normalizeForComparison } from "../core/message/normalize.ts";
export type { LegacyMessage, MessageV2 } from "../core/message/read-legacy.ts";
export { readMessage } from "../core/message/read.ts";
export { clampMaxTokens, estimateInputTokens, unknownModelCaps } from "../core/message/tokens.ts";
export type { TokenCaps } from "../core/message/tokens.ts";
export type { ContentBlock, Message } from "../core/message/types.ts";
