import type { IncomingMessage, ServerResponse } from "node:http";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { isImageType, mediaHeadBytes, mediaTypeOf } from "../../../core/message/media-type.ts";
import { refusedMedia } from "../../blobs/attachments.ts";
import type { BlobKeeper } from "../../blobs/blob-keeper.ts";
import { sendJson } from "../http/http-answer.ts";
import { inertPolicy, securityHeaders } from "../http/security-headers.ts";
import { serverLimits } from "../http/server-limits.ts";

/** The refusal that ends an upload early. */
class UploadRefused extends Error {
  readonly refused: Refusal;

  constructor(refused: Refusal) {
    super(refused.message);
    this.refused = refused;
  }
}

/**
 * Streams an upload to disk. Its first bytes determine the type, whatever its content type says. Answers with the id,
 * the size and the type, or returns the refusal.
 */
export async function receiveBlob(
  keeper: Pick<BlobKeeper, "put">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Refusal | null> {
  const { "content-encoding": encoding, "content-length": length } = request.headers;
  if (encoding !== undefined && encoding !== "identity") return refusal("UNSUPPORTED_MEDIA_TYPE", { encoding });
  if (Number(length ?? 0) > serverLimits.blobBytesMax) return tooLarge;
  const pieces = bounded(request);
  try {
    const head = await takeHead(pieces);
    const refused = head.bytes.length === 0 ? refusal("MEDIA_TYPE_REFUSED", { size: 0 }) : refusedMedia(head.bytes);
    if (refused !== null) return refused;
    const put = await keeper.put(head.whole ? head.bytes : joined(head.bytes, pieces));
    if (!put.ok) return put.error;
    sendJson(response, 201, { ...put.value, mediaType: mediaTypeOf(head.bytes) });
    return null;
  } catch (problem) {
    if (problem instanceof UploadRefused) return problem.refused;
    throw problem;
  }
}

const tooLarge = refusal("BLOB_TOO_LARGE", { size_max: serverLimits.blobBytesMax });

async function* bounded(request: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  let length = 0;
  try {
    // The unread rest must not close the connection before the answer is sent.
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      const bytes: Uint8Array = Buffer.from(piece);
      length += bytes.length;
      if (length > serverLimits.blobBytesMax) throw new UploadRefused(tooLarge);
      yield bytes;
    }
  } catch (problem) {
    if (problem instanceof UploadRefused) throw problem;
    throw new UploadRefused(refusal("FRAME_MALFORMED", { reason: "broken off" }));
  }
  if (!request.complete) throw new UploadRefused(refusal("FRAME_MALFORMED", { reason: "broken off" }));
}

interface Head {
  readonly bytes: Uint8Array;
  /** Whether this is the last piece. */
  readonly whole: boolean;
}

async function takeHead(pieces: AsyncGenerator<Uint8Array, void, undefined>): Promise<Head> {
  const taken: Uint8Array[] = [];
  let length = 0;
  while (length < mediaHeadBytes) {
    const next = await pieces.next();
    if (next.done === true) return { bytes: Buffer.concat(taken), whole: true };
    taken.push(next.value);
    length += next.value.length;
  }
  return { bytes: Buffer.concat(taken), whole: false };
}

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  yield head;
  yield* rest;
}

/**
 * Sends the bytes of a blob. Pictures may be shown inline; everything else is a download, so that nothing in it runs.
 * The bytes of an id never change, so clients may keep them forever; but where there are several people, they ask each time
 * whether they still may have them.
 */
export async function sendBlob(
  { blobs: keeper, id, isTeam }: { readonly blobs: BlobKeeper; readonly id: string; readonly isTeam: boolean },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Refusal | null> {
  const read = await keeper.get(id);
  if (!read.ok) return read.error;
  const headers = {
    ...securityHeaders,
    "content-security-policy": inertPolicy,
    "cache-control": isTeam ? "private, no-cache" : "private, max-age=31536000, immutable",
    etag: `"${id}"`,
  };
  if (request.headers["if-none-match"] === `"${id}"`) {
    response.writeHead(304, headers).end();
    return null;
  }
  const type = mediaTypeOf(read.value.subarray(0, mediaHeadBytes)) ?? "application/octet-stream";
  response.writeHead(200, {
    ...headers,
    "content-type": type === "text/plain" ? "text/plain; charset=utf-8" : type,
    "content-disposition": isImageType(type) ? "inline" : "attachment",
    "content-length": read.value.length,
  });
  response.end(read.value);
  return null;
}
