import { decodeBase64 } from "../../core/base/base64.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { mediaHeadBytes, mediaTypeOf } from "../../core/message/media-type.ts";
import type { ResourceContent } from "../../core/tool/server/server-offers.ts";
import { mediaBytesMax, refusedMedia } from "../blobs/attachments.ts";
import type { BlobKeeper } from "../blobs/blob-keeper.ts";

/** A part of a resource in the blobs. */
interface Copied {
  readonly blobId: string;
  readonly size: number;
  readonly mediaType: string;
  readonly name: string;
}

/** Copies what a server gave to the blobs. Its kind is judged by its bytes, never by what the server says. */
export async function copyToBlobs(
  blobs: Pick<BlobKeeper, "put">,
  contents: readonly ResourceContent[],
): Promise<Result<Copied[], Refusal>> {
  const copied: Copied[] = [];
  for (const { uri, content } of contents) {
    const bytes = "text" in content ? new TextEncoder().encode(content.text) : decodeBase64(content.data);
    const head = bytes?.subarray(0, mediaHeadBytes);
    const mediaType = head === undefined || head.length === 0 ? null : mediaTypeOf(head);
    const refused =
      head === undefined || mediaType === null ? refusal("MEDIA_TYPE_REFUSED", { uri }) : refusedMedia(head);
    if (refused !== null || !bytes || mediaType === null) return err(refused ?? refusal("MEDIA_TYPE_REFUSED", { uri }));
    if (bytes.length > mediaBytesMax)
      return err(refusal("BLOB_TOO_LARGE", { size: bytes.length, size_max: mediaBytesMax }));
    const put = await blobs.put(bytes);
    if (!put.ok) return put;
    copied.push({ blobId: put.value.id, size: put.value.size, mediaType, name: nameOf(uri) });
  }
  return ok(copied);
}

/** The last name of an address. */
function nameOf(uri: string): string {
  const [path = ""] = uri.split(/[?#]/u);
  const last = path.split("/").findLast((part) => part !== "") ?? "";
  return last.replaceAll(/[^\p{L}\p{N}._ -]/gu, "_").slice(0, 100) || "resource";
}
