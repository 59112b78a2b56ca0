import { encodeBase64 } from "../../core/base/base64.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { isImageType, mediaHeadBytes, mediaTypeOf } from "../../core/message/media-type.ts";
import type { ImageBlock } from "../../core/message/types.ts";
import { documentKey } from "../../core/rights/object-key.ts";
import type { BlobKeeper } from "../blobs/blob-keeper.ts";

/** The most pictures that one reading of a canvas shows; a model reads further lines for more. */
const picturesMax = 5;

/**
 * Returns the pictures that lines of a canvas name by their blobs, in their order, each once. A blob that is missing, is not
 * the canvas's, or is no picture that models see, is left out: its address is in the text.
 */
export async function picturesIn(
  canvasId: BlockId,
  lines: string,
  blobs: Pick<BlobKeeper, "get" | "uses">,
): Promise<readonly ImageBlock[]> {
  const ids = new Set(Array.from(lines.matchAll(/!\[[^\]]*\]\(blob:([0-9a-f]{64})\)/gu), ([, id]) => id ?? ""));
  const pictures: ImageBlock[] = [];
  for (const id of ids) {
    if (pictures.length === picturesMax) break;
    if ((await blobs.uses?.isIn(id, documentKey(canvasId))) === false) continue;
    const read = await blobs.get(id);
    if (!read.ok) continue;
    const mediaType = mediaTypeOf(read.value.subarray(0, mediaHeadBytes)) ?? "";
    if (!isImageType(mediaType)) continue;
    pictures.push({ type: "image", mediaType, source: { type: "base64", data: encodeBase64(read.value) } });
  }
  return pictures;
}
