import { roughTokens } from "./rough-tokens.ts";
import type { ContentBlock, Message } from "./types.ts";

/** Tokens of a message besides its content, and of an image or a file. */
const ofMessage = 4;
const ofMedia = 1_600;

/** Estimates the tokens of a message without a model's own tokenizer or counts. */
export function roughTokensOf({ content }: Message): number {
  const blocks: readonly ContentBlock[] = content;
  return blocks.reduce((sum, block) => sum + tokensOfBlock(block), ofMessage);
}

function tokensOfBlock(block: ContentBlock): number {
  switch (block.type) {
    case "text":
    case "refusal":
    case "thinking":
      return roughTokens(block.text);
    case "tool-use":
      return roughTokens(block.name) + roughTokens(block.rawParameters ?? JSON.stringify(block.parameters));
    case "opaque":
      return roughTokens(JSON.stringify(block.raw));
    case "image":
    case "file":
      return ofMedia;
    case "notice":
      return 0;
  }
}
