import { unreachable } from "../../core/base/assert.ts";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { parseJson } from "../../adapters/providers/shared/json-read.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import type { Fault } from "./faults.ts";
import { faultyParts } from "./faulty-parts.ts";
import { selfSigned } from "./self-signed.ts";
import { sendWhole, streamReply } from "./send-reply.ts";
import { type WireName, type WireRequest, wires } from "./wires.ts";

/** The source of a mock provider's replies: any model's `stream`, or a script's. */
type ReplySource = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<StreamPart>;

/** The wire format, replies and faults of a mock provider. */
export interface MockProviderOptions {
  readonly api: WireName;
  readonly reply: ReplySource;
  /** Whether requests must follow the provider's rules; if not, any JSON is accepted. */
  readonly strict?: boolean;
  /** The fault of each request, in order; null, and past the end, for none. */
  readonly faults?: readonly (Fault | null)[];
  /** The only key that is accepted; without it any key is. */
  readonly apiKey?: string;
  /** The models that it lists as OpenAI does; without them it says nothing of its models. */
  readonly models?: readonly string[];
  /** Whether it is served over TLS, with a self-signed certificate. */
  readonly tls?: boolean;
  /** Waits between the pieces of a slow reply; by default in real time. Milliseconds. */
  readonly sleep?: (delayMs: number) => Promise<void>;
}

/** A request as received. */
interface ReceivedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** A local provider on the loopback interface that speaks a real wire format. */
export interface MockProvider {
  /** Base URL, without the version. */
  readonly url: string;
  /** The certificate to trust for TLS, in PEM; null without TLS. */
  readonly certificate: string | null;
  /** The requests in order of arrival; grows. */
  readonly requests: readonly ReceivedRequest[];
  /** The rejections by the strict rules, in order. A test expects none. */
  readonly rejections: readonly string[];
  close(): Promise<void>;
}

/**
 * Starts a strict server of the providers' formats on a free port of 127.0.0.1. It refuses the requests that the providers
 * refuse, and fails as configured. `close` ends it and every connection.
 */
export async function startMockProvider(options: MockProviderOptions): Promise<MockProvider> {
  const mock: Mock = { options, requests: [], rejections: [], sockets: new Map() };
  const listener: RequestListener = (incoming, outgoing) => {
    answer(mock, incoming, outgoing).catch((problem: unknown) => {
      outgoing.destroy(problem instanceof Error ? problem : undefined);
    });
  };
  const own = options.tls === true ? selfSigned() : null;
  const server =
    own === null ? createHttpServer(listener) : createHttpsServer({ key: own.key, cert: own.certificate }, listener);
  // The server owns the sockets below TLS, so that a fault can cut them without TLS noticing.
  const front = createSocketServer({ noDelay: true }, (socket) => {
    const { remotePort } = socket;
    if (remotePort !== undefined) mock.sockets.set(remotePort, socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (remotePort !== undefined) mock.sockets.delete(remotePort);
    });
    server.emit("connection", socket);
  });
  await new Promise<void>((resolve) => {
    front.listen(0, "127.0.0.1", resolve);
  });
  const { port } = front.address() as AddressInfo;
  return {
    url: `${own === null ? "http" : "https"}://127.0.0.1:${port}`,
    certificate: own?.certificate ?? null,
    requests: mock.requests,
    rejections: mock.rejections,
    close: () =>
      new Promise((resolve) => {
        front.close(() => resolve());
        for (const socket of mock.sockets.values()) socket.destroy();
        server.close();
      }),
  };
}

interface Mock {
  readonly options: MockProviderOptions;
  readonly requests: ReceivedRequest[];
  readonly rejections: string[];
  /** Open connections by their client's port. */
  readonly sockets: Map<number, Socket>;
}

async function answer(mock: Mock, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { options } = mock;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const body = parseJson(Buffer.concat(chunks).toString("utf8"));
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  const path = incoming.url ?? "";
  if (options.models !== undefined && incoming.method === "GET" && path.endsWith("/v1/models")) {
    const isRefused = options.apiKey !== undefined && headers["authorization"] !== `Bearer ${options.apiKey}`;
    const listed = { object: "list", data: options.models.map((id) => ({ id, object: "model" })) };
    const said = isRefused ? { error: { message: "Incorrect API key provided." } } : listed;
    outgoing.writeHead(isRefused ? 401 : 200, { "content-type": "application/json" }).end(JSON.stringify(said));
    return;
  }
  if (incoming.method === "GET" || path.startsWith("/api/")) {
    // It says nothing of its models, and what asks for them is no request to a model.
    outgoing.writeHead(404).end();
    return;
  }
  const fault = options.faults?.[mock.requests.length] ?? null;
  mock.requests.push({ path, headers, body: isJsonObject(body) ? body : {} });

  const wire = wires[options.api];
  const request: WireRequest = { path, headers, body };
  const refused = wire.authorize(request, options.apiKey) ?? (options.strict === false ? null : wire.fault(request));
  if (refused !== null) {
    mock.rejections.push(JSON.stringify(refused.body));
    outgoing.writeHead(refused.status, { "content-type": "application/json" }).end(JSON.stringify(refused.body));
    return;
  }
  if (fault !== null && answeredByFault(options.api, fault, outgoing)) return;
  const disconnected = new AbortController();
  outgoing.on("close", () => disconnected.abort());
  const decoded = wire.decode(request);
  const { remotePort } = incoming.socket;
  const reply = {
    parts: faultyParts(options.reply(decoded.request, disconnected.signal), fault),
    fault,
    outgoing,
    sleep: options.sleep ?? ((delayMs: number) => delay(delayMs)),
    cut: () => void mock.sockets.get(remotePort ?? 0)?.end(),
  };
  if (decoded.stream) await streamReply(wire, reply);
  else await sendWhole(wire, reply);
}

const webPage = "<!doctype html><title>Sign in</title><p>Welcome to the network.</p>";

const bombs = new Map<number, Buffer>();

/** A body that unpacks to `bytes`; packed once, because that takes half a second. */
function packedBomb(bytes: number): Buffer {
  const known = bombs.get(bytes) ?? gzipSync(Buffer.alloc(bytes, 0x78));
  bombs.set(bytes, known);
  return known;
}

/** Answers with a fault in place of a reply; false when a reply follows after all. */
function answeredByFault(api: WireName, fault: Fault, outgoing: ServerResponse): boolean {
  switch (fault.type) {
    case "silence":
      return true;
    case "status":
      outgoing.writeHead(fault.status, { "content-type": "application/json", ...fault.headers }).end(fault.body ?? "");
      return true;
    case "refusal": {
      const said = wires[api].refusal(fault.status);
      const type = { "content-type": said === null ? "text/html" : "application/json" };
      const wait = fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter };
      outgoing.writeHead(fault.status, { ...type, ...wait }).end(said === null ? "" : JSON.stringify(said.body));
      return true;
    }
    case "web-page":
      outgoing.writeHead(fault.status ?? 200, { "content-type": "text/html" }).end(webPage);
      return true;
    case "empty":
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).end();
      return true;
    case "gzip-bomb": {
      const packed = packedBomb(fault.bytes);
      outgoing
        .writeHead(fault.status ?? 200, { "content-type": "text/event-stream", "content-encoding": "gzip" })
        .end(packed);
      return true;
    }
    case "big-delta":
    case "broken-arguments":
    case "content-type":
    case "crlf":
    case "drip":
    case "duplicate":
    case "empty-content":
    case "error-event":
    case "half-event":
    case "half-stream":
    case "long-line":
    case "no-end":
    case "overloaded-event":
    case "reorder":
    case "reset":
    case "same-ids":
    case "split":
    case "stall":
    case "tls-cut":
      return false;
    default:
      return unreachable(fault);
  }
}
