import type { AssistantContentBlock, AssistantMessage } from "./types.ts";

/** Returns the text of a content block that people can change; null for thinking, items of a provider and notices. */
export function wordsOfBlock(block: AssistantContentBlock): string | null {
  switch (block.type) {
    case "text":
    case "refusal":
      return block.text;
    case "tool-use":
      return block.rawParameters ?? JSON.stringify(block.parameters);
    case "thinking":
    case "opaque":
    case "notice":
      return null;
  }
}

/** Returns everything in a reply that people can change, joined without separator. */
export function wordsOfReply({ content }: Pick<AssistantMessage, "content">): string {
  return content.map((block) => wordsOfBlock(block) ?? "").join("");
}
