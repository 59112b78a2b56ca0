import { lookup, type LookupAddress, type LookupOptions } from "node:dns";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { reasonOf } from "../../core/base/reason.ts";
import type { WebhookOutcome, WebhookRequest, WebhookSender } from "../../core/port/webhook-sender.ts";
import { isPublicAddress } from "./public-address.ts";

const answerMsMax = 10_000;

/**
 * Posts to public addresses over TLS. The address that a name resolves to is judged when the connection is made, so that a name
 * that changes its address opens nothing. `namedHosts` (`host` or `host:port`) are the owner's exceptions, also without TLS.
 */
export function webhookSender(namedHosts: readonly string[] = [], resolve: typeof lookup = lookup): WebhookSender {
  const named = new Set(namedHosts.map((host) => host.toLowerCase()));
  const isNamed = ({ hostname, host }: URL): boolean => named.has(hostname) || named.has(host);
  const refusedAddress = (text: string): string | null => {
    const url = URL.parse(text);
    if (url === null || !["https:", "http:"].includes(url.protocol)) return "It is no https address.";
    if (url.username !== "" || url.password !== "") return "It holds a user name or password.";
    if (isNamed(url)) return null;
    if (url.protocol !== "https:") return `It is not https. Name ${url.host} in webhookHosts to allow it.`;
    const literal = url.hostname.replace(/^\[|\]$/g, "");
    if (
      literal === "localhost" ||
      literal.endsWith(".localhost") ||
      (isIP(literal) !== 0 && !isPublicAddress(literal))
    ) {
      return `${url.hostname} is no public address. Name it in webhookHosts to allow it.`;
    }
    return null;
  };
  return {
    refusedAddress,
    post(request, signal) {
      const refused = refusedAddress(request.url);
      if (refused !== null) return Promise.resolve({ type: "failed", reason: "address", message: refused });
      const url = new URL(request.url);
      return post(url, { request, signal, lookup: isNamed(url) ? resolve : publicLookup(resolve) });
    },
  };
}

type Lookup = typeof lookup;
type LookupDone = (problem: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** A name whose address, or one of them, is not public is refused before anything connects. */
function publicLookup(resolve: Lookup) {
  return (name: string, options: LookupOptions, done: LookupDone): void => {
    resolve(name, { ...options, all: true }, (problem, addresses) => {
      if (problem !== null) return done(problem, []);
      const inside = addresses.find(({ address }) => !isPublicAddress(address));
      const [first] = addresses;
      if (inside !== undefined || first === undefined) return done(new NotPublic(name), []);
      if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

class NotPublic extends Error {
  constructor(name: string) {
    super(`${name} leads to an address that is not public. Name it in webhookHosts to allow it.`);
  }
}

function post(
  url: URL,
  {
    request: { headers, body },
    signal,
    lookup: find,
  }: {
    readonly request: WebhookRequest;
    readonly signal: AbortSignal;
    readonly lookup: ReturnType<typeof publicLookup> | Lookup;
  },
): Promise<WebhookOutcome> {
  const { promise, resolve } = Promise.withResolvers<WebhookOutcome>();
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const timeout = AbortSignal.timeout(answerMsMax);
  const sent = send(
    url,
    {
      method: "POST",
      agent: false,
      lookup: find,
      headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
      signal: AbortSignal.any([signal, timeout]),
    },
    (response) => {
      resolve({ type: "answered", status: response.statusCode ?? 0 });
      // Nothing in the answer is of interest, however long it is.
      response.destroy();
    },
  );
  sent.on("error", (problem) => {
    const reason = problem instanceof NotPublic ? "address" : timeout.aborted ? "timeout" : "unreachable";
    const message = timeout.aborted ? `No answer came within ${answerMsMax / 1000} s.` : reasonOf(problem);
    resolve({ type: "failed", reason, message });
  });
  sent.end(body);
  return promise;
}
