import { decodeBase64 } from "../../core/base/base64.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject } from "../../core/base/json.ts";
import { isNonEmpty } from "../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { isImageType, mediaHeadBytes, mediaTypeOf, pixelSizeOf } from "../../core/message/media-type.ts";
import type {
  FileBlock,
  ImageBlock,
  MediaSource,
  ScaledCopy,
  ToolContentBlock,
  ToolMessage,
} from "../../core/message/types.ts";
import { isBlobId } from "../../core/port/blobs.ts";
import type { ModelInfo } from "../../core/port/language-model.ts";
import type { BlobKeeper } from "./blob-keeper.ts";

/** An uploaded image or file, for a message. */
export interface Attachment {
  readonly blobId: string;
  /** A smaller copy of the image, for providers that do not take the original. */
  readonly scaledBlobId?: string;
  /** The file's name, as the person sees it. */
  readonly name?: string;
}

/** Maximum number of pixels of a picture: a viewer of more would run out of memory. */
const pixelsMax = 100_000_000;

/** The largest image or other file of a folder that is shown or attached. Bytes. */
export const mediaBytesMax = 20 * 1024 * 1024;

/** Returns why these bytes cannot be stored as their media type; null where they can. */
export function refusedMedia(head: Uint8Array): Refusal | null {
  const type = mediaTypeOf(head);
  if (type === null) return refusal("MEDIA_TYPE_REFUSED");
  if (!isImageType(type)) return null;
  const pixels = pixelSizeOf(head);
  if (pixels === null) return refusal("MEDIA_TYPE_REFUSED", { type, reason: "its size cannot be read" });
  return pixels.width * pixels.height > pixelsMax
    ? refusal(
        "BLOB_TOO_LARGE",
        { ...pixels, pixels_max: pixelsMax },
        "The image has more pixels than the server takes. Make it smaller and try again.",
      )
    : null;
}

/** Returns why a model's provider would not take these bytes, with the limit and the actual size; null where it would. */
export function overLimit(info: ModelInfo, bytes: Uint8Array): Refusal | null {
  const head = bytes.subarray(0, mediaHeadBytes);
  const isImage = isImageType(mediaTypeOf(head) ?? "");
  const facts = { model: info.id, size: bytes.length };
  const { media } = info;
  if (isImage && info.vision === false) {
    return refusal("MEDIA_OVER_LIMIT", facts, `${info.name} cannot see images. Choose another model.`);
  }
  if (media === undefined) return null;
  const most = isImage ? media.imageBytesMax : media.fileBytesMax;
  if (bytes.length > most) {
    const what = isImage ? "image" : "file";
    const message = `This ${what} has ${megabytes(bytes.length)}, but ${info.name} takes at most ${megabytes(most)}. Make it smaller, or choose another model.`;
    return refusal("MEDIA_OVER_LIMIT", { ...facts, size_max: most }, message);
  }
  const pixels = isImage ? pixelSizeOf(head) : null;
  if (pixels === null || Math.max(pixels.width, pixels.height) <= media.imageSideMax) return null;
  const message = `This image has ${pixels.width} × ${pixels.height} pixels, but ${info.name} takes at most ${media.imageSideMax} on a side. Make it smaller, or choose another model.`;
  return refusal("MEDIA_OVER_LIMIT", { ...facts, ...pixels, side_max: media.imageSideMax }, message);
}

/** Formats a size for people. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/**
 * Turns a message's attachments into content blocks and claims their blobs. Refuses all of them when one cannot be used, and
 * names it.
 */
export async function attachedMedia(
  keeper: BlobKeeper,
  info: ModelInfo | undefined,
  attachments: readonly Attachment[],
): Promise<Result<readonly (ImageBlock | FileBlock)[], Refusal>> {
  const blocks: (ImageBlock | FileBlock)[] = [];
  for (const { blobId, scaledBlobId, name } of attachments) {
    const claimed = await keeper.claim(blobId);
    if (!claimed.ok) return claimed;
    const bytes = await keeper.get(blobId);
    if (!bytes.ok) return bytes;
    const scaled = scaledBlobId === undefined ? ok(null) : await scaledCopy(keeper, scaledBlobId);
    if (!scaled.ok) return scaled;
    const refused = info === undefined ? null : overLimit(info, bytes.value);
    const copyRefused = info === undefined || scaled.value === null ? null : overLimit(info, scaled.value.bytes);
    if (refused !== null && (scaled.value === null || copyRefused !== null))
      return err({ ...refused, details: { ...refused.details, blob_id: blobId } });
    const mediaType = mediaTypeOf(bytes.value.subarray(0, mediaHeadBytes)) ?? "application/octet-stream";
    const source = { type: "blob", ...claimed.value } as const;
    const copy = scaled.value === null ? {} : { scaled: scaled.value.copy };
    blocks.push(
      isImageType(mediaType)
        ? { type: "image", mediaType, source: { ...source, ...copy } }
        : { type: "file", mediaType, ...(name === undefined ? {} : { name }), source },
    );
  }
  return ok(blocks);
}

/** Claims a scaled copy and reads it; refused where it is no image. */
async function scaledCopy(
  keeper: BlobKeeper,
  blobId: string,
): Promise<Result<{ readonly copy: ScaledCopy; readonly bytes: Uint8Array }, Refusal>> {
  const claimed = await keeper.claim(blobId);
  if (!claimed.ok) return claimed;
  const bytes = await keeper.get(blobId);
  if (!bytes.ok) return bytes;
  const mediaType = mediaTypeOf(bytes.value.subarray(0, mediaHeadBytes)) ?? "";
  if (!isImageType(mediaType))
    return err(refusal("MEDIA_TYPE_REFUSED", { blob_id: blobId, reason: "a copy is an image" }));
  return ok({ copy: { ...claimed.value, mediaType }, bytes: bytes.value });
}

/** Base64 up to this length stays in its message: a blob of its own would cost more. UTF-16 units. */
const inlineUnitsMax = 4096;

/**
 * Returns the messages with the bytes of larger images and files moved into blobs, and claims the blobs that they name.
 * Values that are not messages pass through to the message reader. Refused with BLOB_NOT_FOUND where a blob is missing.
 */
export async function withBlobs(
  keeper: BlobKeeper,
  messages: readonly unknown[],
): Promise<Result<readonly unknown[], Refusal>> {
  const moved: unknown[] = [];
  for (const message of messages) {
    const content = isJsonObject(message) ? message["content"] : undefined;
    if (!isJsonObject(message) || !Array.isArray(content)) {
      moved.push(message);
      continue;
    }
    const blocks: unknown[] = [];
    for (const block of content) {
      const source = await blobSource(keeper, block);
      if (!source.ok) return source;
      blocks.push(source.value === null ? block : { ...block, source: source.value });
    }
    moved.push({ ...message, content: blocks });
  }
  return ok(moved);
}

/** Returns a tool's result with the bytes of its images and files in blobs; bytes that cannot be stored stay in place. */
export async function resultWithBlobs(keeper: BlobKeeper, message: ToolMessage): Promise<ToolMessage> {
  const content: ToolContentBlock[] = [];
  for (const block of message.content) {
    const moved = block.type === "image" || block.type === "file" ? await movedBytes(keeper, block.source) : null;
    const source = moved?.ok === true ? moved.value : null;
    content.push(source !== null && (block.type === "image" || block.type === "file") ? { ...block, source } : block);
  }
  return isNonEmpty(content) ? { ...message, content } : message;
}

/** Stores bytes that came as base64 and returns their blob; null where they are few or not base64. */
async function movedBytes(keeper: BlobKeeper, source: MediaSource): Promise<Result<MediaSource | null, Refusal>> {
  if (source.type !== "base64" || source.data.length <= inlineUnitsMax) return ok(null);
  const bytes = decodeBase64(source.data);
  if (bytes === undefined) return ok(null);
  const put = await keeper.put(bytes);
  return put.ok ? ok({ type: "blob", ...put.value }) : put;
}

/** Returns the new source of a block; null where it stays as it is. */
async function blobSource(keeper: BlobKeeper, block: unknown): Promise<Result<object | null, Refusal>> {
  if (!isJsonObject(block) || (block["type"] !== "image" && block["type"] !== "file")) return ok(null);
  const { source } = block;
  if (!isJsonObject(source)) return ok(null);
  const { id, data } = source;
  if (source["type"] === "blob" && typeof id === "string" && isBlobId(id)) {
    const claimed = await keeper.claim(id);
    // The stored size counts, not the size that the message names.
    return claimed.ok ? ok({ type: "blob", ...claimed.value }) : claimed;
  }
  return source["type"] === "base64" && typeof data === "string"
    ? movedBytes(keeper, { type: "base64", data })
    : ok(null);
}
