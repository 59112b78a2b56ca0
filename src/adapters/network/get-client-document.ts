import { lookup } from "node:dns";
import type { IncomingMessage } from "node:http";
import { request as requestHttps, type RequestOptions } from "node:https";
import { reasonOf } from "../../core/base/reason.ts";
import { isJsonObject } from "../../core/base/json.ts";
import type { ClientDocument, ReadClientDocument } from "../../core/port/oauth.ts";
import { readBoundedJson } from "../../core/protocol/base/bounded-json.ts";
import { isPublicHost, type Lookup, NotPublic, publicLookup } from "./public-lookup.ts";

const msMax = 5_000;
const bytesMax = 5 * 1024;

interface DocumentRules {
  /** Hosts inside, `host` or `host:port`, that the owner allows. */
  readonly namedHosts?: readonly string[];
  readonly resolve?: Lookup;
  /** The authority that signs for their addresses, where it is another than the usual ones. */
  readonly ca?: string;
}

/**
 * Reads what programs say of themselves at their own https addresses: public ones only, judged when the connection is made;
 * one answer without a redirect, small, in time, and JSON.
 */
export function clientDocuments({ namedHosts = [], resolve = lookup, ca }: DocumentRules = {}): ReadClientDocument {
  const named = new Set(namedHosts.map((host) => host.toLowerCase()));
  return async (address) => {
    const url = URL.parse(address);
    if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") {
      return refused("it is no https address");
    }
    const isNamed = named.has(url.hostname) || named.has(url.host);
    if (!isNamed && !isPublicHost(url.hostname)) return refused("it is no public address");
    const signal = AbortSignal.timeout(msMax);
    try {
      const options = {
        signal,
        lookup: isNamed ? resolve : publicLookup(resolve),
        ...(ca === undefined ? {} : { ca }),
      };
      return await documentOf(await answerOf(url, options));
    } catch (problem) {
      if (problem instanceof NotPublic) return refused(reasonOf(problem));
      return { type: "unreachable" };
    }
  };
}

function answerOf(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { accept: "application/json", "user-agent": "Heddle (a program asks to sign in)" };
  const sent = requestHttps(url, { ...options, agent: false, headers }, resolve);
  sent.on("error", reject);
  sent.end();
  return promise;
}

async function documentOf(response: IncomingMessage): Promise<ClientDocument> {
  const { statusCode = 0, headers } = response;
  const type = headers["content-type"] ?? "";
  const problem =
    statusCode >= 500
      ? null
      : statusCode !== 200
        ? `its server answered ${statusCode}`
        : /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)
          ? ""
          : "it is no JSON";
  if (problem !== "") {
    response.destroy();
    return problem === null ? { type: "unreachable" } : refused(problem);
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > bytesMax) {
      response.destroy();
      return refused(`it is larger than ${bytesMax / 1024} kB`);
    }
    pieces.push(piece);
  }
  const read = readBoundedJson(Buffer.concat(pieces).toString("utf8"));
  return read.ok && isJsonObject(read.value) ? { type: "read", value: read.value } : refused("it is no JSON object");
}

function refused(why: string): ClientDocument {
  return { type: "refused", why };
}
