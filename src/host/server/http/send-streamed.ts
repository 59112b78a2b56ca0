import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { createGzip, constants } from "node:zlib";
import { acceptedCodings } from "./accepted-codings.ts";
import { inertPolicy, securityHeaders } from "./security-headers.ts";
import { untilRead } from "./until-read.ts";

type Pieces = Iterable<string> | AsyncIterable<string>;

/**
 * Answers with text that is made piece by piece as the reader takes it, so that a long answer neither holds up the others
 * nor lies in memory whole. Packed where the reader says that it can unpack. A reader who goes away ends it; rejects where
 * the pieces fail, when a part of the answer has been sent.
 */
export async function sendStreamed(
  request: IncomingMessage,
  response: ServerResponse,
  answer: { readonly type: string; readonly fileName?: string; readonly pieces: Pieces },
): Promise<void> {
  const packed = acceptedCodings(request).has("gzip");
  response.writeHead(200, {
    ...securityHeaders,
    "content-security-policy": inertPolicy,
    "content-type": answer.type,
    "cache-control": "no-store",
    vary: "accept-encoding",
    ...(packed ? { "content-encoding": "gzip" } : {}),
    ...(answer.fileName === undefined ? {} : { "content-disposition": `attachment; filename="${answer.fileName}"` }),
  });
  const source = Readable.from(withPauses(answer.pieces));
  // Level 1: what is sent is mostly ids, and time counts more than a few bytes.
  const sending = packed
    ? pipeline(source, createGzip({ level: constants.Z_BEST_SPEED }), response)
    : pipeline(source, response);
  await untilRead(sending);
}

/** How many pieces are made before others have their turn; each is small. */
async function* withPauses(pieces: Pieces): AsyncGenerator<string, void, undefined> {
  for await (const piece of pieces) {
    yield piece;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Items of a list as the JSON `{"name":[…]}`, a few hundred to a piece. */
export function* jsonList(name: string, items: readonly unknown[]): Generator<string, void, undefined> {
  const atOnce = 500;
  yield `{${JSON.stringify(name)}:[`;
  for (let from = 0; from < items.length; from += atOnce) {
    const part = items.slice(from, from + atOnce).map((item) => JSON.stringify(item));
    yield `${from === 0 ? "" : ","}${part.join(",")}`;
  }
  yield "]}";
}
