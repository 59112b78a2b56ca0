import { lookup } from "node:dns";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { reasonOf } from "../../core/base/reason.ts";
import type { WebhookOutcome, WebhookRequest, WebhookSender } from "../../core/port/webhook-sender.ts";
import { isPublicHost, type Lookup, NotPublic, publicLookup } from "./public-lookup.ts";

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
    if (!isPublicHost(url.hostname))
      return `${url.hostname} is no public address. Name it in webhookHosts to allow it.`;
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
    const message = timeout.aborted
      ? `No answer came within ${answerMsMax / 1000} s.`
      : `${reasonOf(problem)}${reason === "address" ? " Name it in webhookHosts to allow it." : ""}`;
    resolve({ type: "failed", reason, message });
  });
  sent.end(body);
  return promise;
}
