import { encodeBase64 } from "../../core/base/base64.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { isImageType, mediaHeadBytes, mediaTypeOf, pixelSizeOf } from "../../core/message/media-type.ts";
import type { FileBlock, ImageBlock } from "../../core/message/types.ts";
import { mediaBytesMax, megabytes, refusedMedia } from "../blobs/attachments.ts";
import type { WorkspaceFiles } from "../files/workspace-files-types.ts";

/** The most images and PDFs that one read_files shows. */
const mediaMax = 5;

/** An image or a PDF of the folder: what the answer says of it, and what the model is shown. */
interface ReadMedia {
  readonly content: JsonObject;
  readonly block: ImageBlock | FileBlock;
}

/**
 * Reads a file that is no text: an image or a PDF, recognised by its bytes. What the model's provider does not take is
 * replaced by words when the request is made. FILE_NOT_TEXT for any other file, MEDIA_OVER_LIMIT beyond the bounds.
 */
export async function readMedia(
  files: Pick<WorkspaceFiles, "bytes">,
  path: string,
  shownBefore: number,
): Promise<Result<ReadMedia, Refusal>> {
  const read = await files.bytes(path);
  if (!read.ok) return read;
  const { bytes } = read.value;
  const head = bytes.subarray(0, mediaHeadBytes);
  const mediaType = mediaTypeOf(head);
  if (mediaType === null || mediaType === "text/plain")
    return err(refusal("FILE_NOT_TEXT", { path }, neitherWords(path)));
  const refused = refusedMedia(head);
  if (refused !== null) return err(refused);
  if (bytes.length > mediaBytesMax) return err(tooLarge(path, bytes.length));
  if (shownBefore >= mediaMax) return err(tooMany(path));
  const source = { type: "base64", data: encodeBase64(bytes) } as const;
  const facts = { shown_as: mediaType, bytes: bytes.length, ...pixelSizeOf(head) };
  return isImageType(mediaType)
    ? ok({ content: facts, block: { type: "image", mediaType, source } })
    : ok({ content: facts, block: { type: "file", mediaType, name: path.slice(-200).toWellFormed(), source } });
}

function neitherWords(path: string): string {
  return `${path} is neither text nor an image (PNG, JPEG, GIF, WebP) nor a PDF, so it cannot be shown.`;
}

function tooLarge(path: string, size: number): Refusal {
  const message = `${path} has ${megabytes(size)}, and images and PDFs are shown up to ${megabytes(mediaBytesMax)}.`;
  return refusal("MEDIA_OVER_LIMIT", { path, size, size_max: mediaBytesMax }, message);
}

function tooMany(path: string): Refusal {
  const message = `${path} was not read: one call shows at most ${mediaMax} images and PDFs. Read it with another call.`;
  return refusal("MEDIA_OVER_LIMIT", { path, count_max: mediaMax }, message);
}
