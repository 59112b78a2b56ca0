import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { parseJson } from "../../adapters/providers/json-read.ts";
import type { SseEvent } from "../../adapters/providers/sse.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import type { Fault } from "./faults.ts";
import { type Wire, type WireName, type WireRequest, wires } from "./wires.ts";

/** The brain behind a mock provider: any model's `stream`, or a script's. */
type ReplySource = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<StreamPart>;

export interface MockProviderOptions {
  readonly api: WireName;
  readonly reply: ReplySource;
  /** Whether requests are held to the provider's rules; where not, any JSON is taken. */
  readonly strict?: boolean;
  /** What goes wrong, request by request; null and past the end nothing does. */
  readonly faults?: readonly (Fault | null)[];
  /** The only key that is let in; without one any is. */
  readonly apiKey?: string;
}

/** A request as it came. */
interface ReceivedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** A provider of one's own on the loopback interface, which speaks a real wire format. */
export interface MockProvider {
  /** Base URL, without the version. */
  readonly url: string;
  /** In order of arrival; grows. */
  readonly requests: readonly ReceivedRequest[];
  /** What strict rules held against requests, in order; empty is what a test wants to see. */
  readonly rejections: readonly string[];
  close(): Promise<void>;
}

export async function startMockProvider(options: MockProviderOptions): Promise<MockProvider> {
  const requests: ReceivedRequest[] = [];
  const rejections: string[] = [];
  const server = createServer((incoming, outgoing) => {
    answer({ options, requests, rejections }, incoming, outgoing).catch((problem: unknown) => {
      outgoing.destroy(problem instanceof Error ? problem : undefined);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    rejections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Mock {
  readonly options: MockProviderOptions;
  readonly requests: ReceivedRequest[];
  readonly rejections: string[];
}

async function answer(mock: Mock, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { options } = mock;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const body = parseJson(Buffer.concat(chunks).toString("utf8"));
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  const path = incoming.url ?? "";
  const fault = options.faults?.[mock.requests.length] ?? null;
  mock.requests.push({ path, headers, body: isJsonObject(body) ? body : {} });

  const wire = wires[options.api];
  const request: WireRequest = { path, headers, body };
  const refused = wire.letIn(request, options.apiKey) ?? (options.strict === false ? null : wire.fault(request));
  if (refused !== null) {
    mock.rejections.push(JSON.stringify(refused.body));
    outgoing.writeHead(refused.status, { "content-type": "application/json" }).end(JSON.stringify(refused.body));
    return;
  }
  if (fault?.type === "silence") return;
  if (fault?.type === "status") {
    outgoing.writeHead(fault.status, { "content-type": "application/json", ...fault.headers }).end(fault.body ?? "");
    return;
  }
  if (fault?.type === "web-page") {
    outgoing
      .writeHead(200, { "content-type": "text/html" })
      .end("<!doctype html><title>Sign in</title><p>Welcome to the network.</p>");
    return;
  }
  if (fault?.type === "empty") {
    outgoing.writeHead(200, { "content-type": "text/event-stream" }).end();
    return;
  }
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const decoded = wire.decode(request);
  const parts = options.reply(decoded.request, gone.signal);
  if (decoded.stream) await streamReply(wire, { parts, fault, outgoing });
  else await sendWhole(wire, parts, outgoing);
}

interface StreamedReply {
  readonly parts: AsyncIterable<StreamPart>;
  readonly fault: Fault | null;
  readonly outgoing: ServerResponse;
}

async function streamReply(wire: Wire, { parts, fault, outgoing }: StreamedReply): Promise<void> {
  const type = fault?.type === "content-type" ? fault.value : "text/event-stream; charset=utf-8";
  outgoing.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  outgoing.flushHeaders();
  if (fault?.type === "long-line") await write(outgoing, Buffer.from(`data: {"pad":"${"x".repeat(fault.bytes)}"}\n\n`));
  let sent = 0;
  const end = fault?.type === "crlf" ? "\r\n" : "\n";
  for await (const event of written(parts, wire)) {
    if (outgoing.destroyed) return;
    if (isCutOff(fault) && sent >= fault.events) {
      if (fault.type === "error-event") {
        await write(
          outgoing,
          Buffer.from(`${fault.name === undefined ? "" : `event: ${fault.name}\n`}data: ${fault.data}\n\n`),
        );
      }
      if (fault.type === "reset") outgoing.socket?.resetAndDestroy();
      else if (fault.type !== "stall") outgoing.end();
      return;
    }
    if (fault?.type === "no-end" && wire.isLast(event)) continue;
    const name = event.event === undefined ? "" : `event: ${event.event}${end}`;
    const bytes = Buffer.from(`${name}data: ${event.data}${end}${end}`, "utf8");
    if (fault?.type === "half-event" && wire.isLast(event)) {
      await write(outgoing, bytes.subarray(0, bytes.length >> 1));
      break;
    }
    const step = fault?.type === "split" ? fault.bytes : bytes.length;
    for (let at = 0; at < bytes.length; at += step) {
      await write(outgoing, bytes.subarray(at, at + step));
      // Lets each write travel by itself.
      if (fault?.type === "split") await delay(0);
    }
    sent += 1;
  }
  outgoing.end();
}

function isCutOff(fault: Fault | null): fault is Extract<Fault, { readonly events: number }> {
  return fault !== null && "events" in fault;
}

async function* written(parts: AsyncIterable<StreamPart>, wire: Wire): AsyncGenerator<SseEvent, void, undefined> {
  const write = wire.writer();
  for await (const part of parts) yield* write(part);
}

async function sendWhole(wire: Wire, parts: AsyncIterable<StreamPart>, outgoing: ServerResponse): Promise<void> {
  const all: StreamPart[] = [];
  for await (const part of parts) all.push(part);
  outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(wire.body(all)));
}

function write(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed) resolve();
    else outgoing.write(bytes, () => resolve());
  });
}
