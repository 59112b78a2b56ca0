import { encodeBase64 } from "../../core/base/base64.ts";
import { isNonEmpty } from "../../core/base/non-empty.ts";
import { mediaPlaceholder } from "../../core/message/media.ts";
import type { FileBlock, ImageBlock, Message, TextBlock, UserContentBlock } from "../../core/message/types.ts";
import type { BlobStore } from "../../core/port/blobs.ts";
import type { ModelInfo } from "../../core/port/language-model.ts";
import { overLimit } from "../blobs/attachments.ts";

/**
 * The same messages with the bytes of their images and files. What is not to be had, or not taken by this model, is told in
 * words: a turn never fails for want of a picture.
 */
export async function withMedia(
  messages: readonly Message[],
  info: ModelInfo,
  blobs: Pick<BlobStore, "get">,
): Promise<readonly Message[]> {
  const sent: Message[] = [];
  for (const message of messages) {
    if (message.role !== "user" && message.role !== "tool") {
      sent.push(message);
      continue;
    }
    const content: UserContentBlock[] = [];
    for (const block of message.content) {
      const isMedia = block.type === "image" || block.type === "file";
      content.push(isMedia ? await sentBlock(block, info, blobs) : block);
    }
    sent.push(isNonEmpty(content) ? { ...message, content } : message);
  }
  return sent;
}

async function sentBlock(
  block: ImageBlock | FileBlock,
  info: ModelInfo,
  blobs: Pick<BlobStore, "get">,
): Promise<UserContentBlock> {
  if (block.source.type !== "blob")
    return block.type === "image" && info.vision === false ? notSeen(block, info) : block;
  const read = await blobs.get(block.source.id);
  if (!read.ok) return mediaPlaceholder(block);
  if (overLimit(info, read.value) !== null) return notSeen(block, info);
  return { ...block, source: { type: "base64", data: encodeBase64(read.value) } };
}

function notSeen(block: ImageBlock | FileBlock, info: ModelInfo): TextBlock {
  return { type: "text", text: `${mediaPlaceholder(block).text.slice(0, -1)} to ${info.name}]` };
}
