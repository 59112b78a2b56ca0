import { encodeBase64 } from "../../../core/base/base64.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import { mediaPlaceholder } from "../../../core/message/media.ts";
import type { FileBlock, ImageBlock, Message, TextBlock, UserContentBlock } from "../../../core/message/types.ts";
import type { BlobStore } from "../../../core/port/blobs.ts";
import type { ModelInfo } from "../../../core/port/language-model.ts";
import { overLimit } from "../../blobs/attachments.ts";

/** Limit of all images and files in a request for a model with an unknown limit; bounds memory. Bytes. */
export const totalBytesUnknown = 48 * 1024 * 1024;

/**
 * Returns the messages with the bytes of their images and files. Words replace missing media and media the model does not
 * accept: a turn never fails because of a picture. If all media together are too large, the first are sent, so that a longer
 * path keeps the prefix of a shorter one.
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
  /** The remaining room. Bytes. */
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
