import type { FileBlock, ImageBlock, TextBlock } from "./types.ts";

/** What a model reads where an image or a file stood whose bytes are not to be had. */
export function mediaPlaceholder(block: ImageBlock | FileBlock): TextBlock {
  const name = block.type === "file" && block.name !== undefined ? ` "${block.name}"` : "";
  return { type: "text", text: `[${block.type}${name} (${block.mediaType}) is not available]` };
}
