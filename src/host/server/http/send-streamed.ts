import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { createGzip, constants } from "node:zlib";
import { acceptedCodings } from "./accepted-codings.ts";
import { sendJson, WrittenJson } from "./http-answer.ts";
import { inertPolicy, securityHeaders } from "./security-headers.ts";
import { untilRead } from "./until-read.ts";

type Pieces = Iterable<string> | AsyncIterable<string>;

/**
 * Streams text that is produced as the reader consumes it, so that a long answer neither blocks other work nor is held
 * in memory whole. Compressed if the reader accepts it. Ends when the reader disconnects; rejects when the source fails
 * after a part of the answer was sent.
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
  // Level 1: the text is mostly ids, and speed matters more than a few bytes.
  const sending = packed
    ? pipeline(source, createGzip({ level: constants.Z_BEST_SPEED }), response)
    : pipeline(source, response);
  await untilRead(sending);
}

/** How many pieces are produced before other work runs; each is small. */
async function* withPauses(pieces: Pieces): AsyncGenerator<string, void, undefined> {
  for await (const piece of pieces) {
    if (piece !== "") yield piece;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/**
 * Answers with JSON. One long list is sent in parts, so that a path of fifty thousand messages, say, blocks no one: written at
 * once it takes a tenth of a second.
 */
export async function sendJsonAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  value: unknown,
): Promise<void> {
  const entries = isJsonLike(value) && !(value instanceof WrittenJson) ? Object.entries(value) : [];
  const [name, items] = entries[0] ?? [];
  if (entries.length !== 1 || name === undefined || !Array.isArray(items) || items.length <= listedAtOnce) {
    sendJson(response, 200, value);
    return;
  }
  await sendStreamed(request, response, { type: "application/json; charset=utf-8", pieces: jsonList(name, items) });
}

function isJsonLike(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const listedAtOnce = 500;

/** Yields items as the JSON `{"name":[…]}`, a few hundred per piece. */
export function* jsonList(name: string, items: readonly unknown[]): Generator<string, void, undefined> {
  yield `{${JSON.stringify(name)}:[`;
  for (let from = 0; from < items.length; from += listedAtOnce) {
    const part = items.slice(from, from + listedAtOnce).map((item) => JSON.stringify(item));
    yield `${from === 0 ? "" : ","}${part.join(",")}`;
  }
  yield "]}";
}
