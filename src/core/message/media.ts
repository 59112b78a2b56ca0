import type { FileBlock, ImageBlock, TextBlock } from "./types.ts";

/** The text that a model reads in place of an image or a file whose bytes are unavailable. */
export function mediaPlaceholder(block: ImageBlock | FileBlock): TextBlock {
  const name = block.type === "file" && block.name !== undefined ? ` "${block.name}"` : "";
  return { type: "text", text: `[${block.type}${name} (${block.mediaType}) is not available]` };
}
