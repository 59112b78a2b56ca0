import { lookup } from "node:dns";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { pipeline, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isPublicHost, type Lookup, publicLookup } from "./public-lookup.ts";

/** What was read of an address. */
export interface GotPage {
  /** After all redirects. */
  readonly url: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Why an address was not read, in words for a person or a model. */
class PageProblem extends Error {}

const redirectsMax = 5;
const pageMsMax = 20_000;
/** Largest page after decompression, in bytes. */
const pageBytesMax = 3 * 1024 * 1024;

export interface PageRules {
  /** Hosts inside, `host` or `host:port`, that the owner allows. */
  readonly namedHosts: readonly string[];
  readonly resolve?: Lookup;
}

/**
 * Reads an address over HTTP. Only public addresses are connected to, unless the owner named the host: each redirect is
 * judged again, and a name by the addresses that the connection is made to. Rejects with a `PageProblem`.
 */
export async function getPage(address: string, signal: AbortSignal, rules: PageRules): Promise<GotPage> {
  const timeout = AbortSignal.timeout(pageMsMax);
  return readBound(address, AbortSignal.any([signal, timeout]), rules).catch((problem: unknown) => {
    throw timeout.aborted ? new PageProblem(`It was not read within ${pageMsMax / 1000} s.`) : problem;
  });
}

async function readBound(address: string, bound: AbortSignal, rules: PageRules): Promise<GotPage> {
  let url = judged(address, null, rules);
  for (let n = 0; n <= redirectsMax; n += 1) {
    const response = await answerOf(url, bound, rules);
    const { statusCode = 0, headers } = response;
    const next = statusCode >= 300 && statusCode < 400 ? headers.location : undefined;
    if (next === undefined) {
      const text = await textOf(response);
      return { url: url.href, status: statusCode, type: headers["content-type"] ?? "", text };
    }
    response.destroy();
    url = judged(next, url, rules);
  }
  throw new PageProblem(`${address} redirects more than ${redirectsMax} times.`);
}

function judged(address: string, from: URL | null, rules: PageRules): URL {
  const url = from === null ? URL.parse(address) : URL.parse(address, from);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new PageProblem(`${address.slice(0, 200)} is no address of a page.`);
  if (url.username !== "" || url.password !== "") throw new PageProblem("The address holds a user name or password.");
  if (!isNamed(url, rules) && !isPublicHost(url.hostname)) throw new PageProblem(notPublic(url.hostname));
  return url;
}

function notPublic(host: string): string {
  return `${host} is no public address. Nothing was sent there. Its owner can allow it in webHosts.`;
}

function isNamed({ hostname, host }: URL, { namedHosts }: PageRules): boolean {
  return namedHosts.some((name) => [hostname, host].includes(name.toLowerCase()));
}

function answerOf(url: URL, signal: AbortSignal, rules: PageRules): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { resolve: resolveName = lookup } = rules;
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const sent = send(
    url,
    {
      agent: false,
      signal,
      lookup: isNamed(url, rules) ? resolveName : publicLookup(resolveName),
      headers: {
        accept: "text/html, text/plain, application/json;q=0.9, */*;q=0.1",
        "accept-encoding": "gzip, deflate, br",
        "user-agent": "Heddle (a page asked for by a person's agent)",
      },
    },
    resolve,
  );
  sent.on("error", reject);
  sent.end();
  return promise;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const type = response.headers["content-type"] ?? "";
  if (!/^\s*(?:text\/|application\/(?:json|xml|xhtml\+xml|[\w.-]+\+(?:json|xml)))|^\s*$/i.test(type)) {
    response.destroy();
    throw new PageProblem(`The address leads to ${type.split(";")[0]?.slice(0, 100)}, not to a text.`);
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of unpackedBody(response) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > pageBytesMax) {
      response.destroy();
      throw new PageProblem("The page is larger than 3 MB.");
    }
    pieces.push(piece);
  }
  return decoderFor(type).decode(Buffer.concat(pieces));
}

function unpackedBody(response: IncomingMessage): NodeJS.ReadableStream {
  switch ((response.headers["content-encoding"] ?? "").toLowerCase()) {
    case "gzip":
      return unpacked(response, createGunzip());
    case "deflate":
      return unpacked(response, createInflate());
    case "br":
      return unpacked(response, createBrotliDecompress());
    default:
      return response;
  }
}

/** Ends with an error when the answer is cut off or given up: a plain pipe would wait for ever. */
function unpacked(response: IncomingMessage, unpack: Transform): Transform {
  return pipeline(response, unpack, () => {});
}

/** The encoding that the server names, else UTF-8. */
function decoderFor(type: string): TextDecoder {
  const named = /charset\s*=\s*"?([\w-]{1,40})/i.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(named);
  } catch {
    return new TextDecoder();
  }
}
