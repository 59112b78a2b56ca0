import { encodeBase64 } from "../../../core/base/base64.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import { PrefixFold } from "../../../core/base/prefix-fold.ts";
import { mediaPlaceholder } from "../../../core/message/media.ts";
import type {
  ContentBlock,
  FileBlock,
  ImageBlock,
  Message,
  TextBlock,
  UserContentBlock,
} from "../../../core/message/types.ts";
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
  if (!hasMedia.of(messages)) return messages;
  const sent: Message[] = [];
  const room = { bytes: info.media?.totalBytesMax ?? totalBytesUnknown };
  for (const message of messages) {
    if ((message.role !== "user" && message.role !== "tool") || !holdsMedia(message)) {
      sent.push(message);
      continue;
    }
    const content: UserContentBlock[] = [];
    for (const block of message.content) {
      content.push(isMedia(block) ? await sentBlock(block, { info, blobs, room }) : block);
    }
    sent.push(isNonEmpty(content) ? { ...message, content } : message);
  }
  return sent;
}

const hasMedia = new PrefixFold<Message, boolean>(false, (before, rest) => before || rest.some(holdsMedia));

function holdsMedia({ role, content }: Message): boolean {
  return (role === "user" || role === "tool") && content.some(isMedia);
}

function isMedia(block: ContentBlock): block is ImageBlock | FileBlock {
  return block.type === "image" || block.type === "file";
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
  const { id, scaled } = block.source;
  const read = await blobs.get(id);
  if (!read.ok) return mediaPlaceholder(block);
  const fits = (bytes: Uint8Array): boolean => bytes.length <= room.bytes && overLimit(info, bytes) === null;
  const send = (bytes: Uint8Array, mediaType: string): UserContentBlock => {
    room.bytes -= bytes.length;
    return { ...block, mediaType, source: { type: "base64", data: encodeBase64(bytes) } };
  };
  if (fits(read.value)) return send(read.value, block.mediaType);
  const copy = scaled === undefined ? null : await blobs.get(scaled.id);
  return copy?.ok === true && scaled !== undefined && fits(copy.value)
    ? send(copy.value, scaled.mediaType)
    : notSeen(block, info);
}

function notSeen(block: ImageBlock | FileBlock, info: ModelInfo): TextBlock {
  return { type: "text", text: `${mediaPlaceholder(block).text.slice(0, -1)} to ${info.name}]` };
}
