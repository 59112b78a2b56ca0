import { encodeBase64 } from "../../../core/base/base64.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import { mediaPlaceholder } from "../../../core/message/media.ts";
import type { FileBlock, ImageBlock, Message, TextBlock, UserContentBlock } from "../../../core/message/types.ts";
import type { BlobStore } from "../../../core/port/blobs.ts";
import type { ModelInfo } from "../../../core/port/language-model.ts";
import { overLimit } from "../../blobs/attachments.ts";

/** All images and files of a request for a model of which nobody knows how much it takes: what memory bears. Bytes. */
export const totalBytesUnknown = 48 * 1024 * 1024;

/**
 * The same messages with the bytes of their images and files. What is not to be had, or not taken by this model, is told in
 * words: a turn never fails for want of a picture. Where all of them together are too much, the first ones are sent, so
 * that what a prefix of the path gives stays what the path begins with.
 */
export async function withMedia(
  messages: readonly Message[],
  info: ModelInfo,
  blobs: Pick<BlobStore, "get">,
): Promise<readonly Message[]> {
  const sent: Message[] = [];
  const room = { bytes: info.media?.totalBytesMax ?? totalBytesUnknown };
  for (const message of messages) {
    if (message.role !== "user" && message.role !== "tool") {
      sent.push(message);
      continue;
    }
    const content: UserContentBlock[] = [];
    for (const block of message.content) {
      const isMedia = block.type === "image" || block.type === "file";
      content.push(isMedia ? await sentBlock(block, { info, blobs, room }) : block);
    }
    sent.push(isNonEmpty(content) ? { ...message, content } : message);
  }
  return sent;
}

interface Sending {
  readonly info: ModelInfo;
  readonly blobs: Pick<BlobStore, "get">;
  /** What may still be sent. */
  readonly room: { bytes: number };
}

async function sentBlock(block: ImageBlock | FileBlock, { info, blobs, room }: Sending): Promise<UserContentBlock> {
  if (block.source.type !== "blob")
    return block.type === "image" && info.vision === false ? notSeen(block, info) : block;
  if (block.source.size > room.bytes) return notSeen(block, info);
  const read = await blobs.get(block.source.id);
  if (!read.ok) return mediaPlaceholder(block);
  if (overLimit(info, read.value) !== null) return notSeen(block, info);
  room.bytes -= read.value.length;
  return { ...block, source: { type: "base64", data: encodeBase64(read.value) } };
}

function notSeen(block: ImageBlock | FileBlock, info: ModelInfo): TextBlock {
  return { type: "text", text: `${mediaPlaceholder(block).text.slice(0, -1)} to ${info.name}]` };
}
