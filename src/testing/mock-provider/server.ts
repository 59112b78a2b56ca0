import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { decodeRequest as decodeAnthropicRequest } from "../../adapters/providers/anthropic/decode-request.ts";
import * as anthropicReply from "../../adapters/providers/anthropic/encode-reply.ts";
import { parseJson } from "../../adapters/providers/json-read.ts";
import { decodeRequest as decodeChatRequest } from "../../adapters/providers/openai-chat/decode-request.ts";
import * as chatReply from "../../adapters/providers/openai-chat/encode-reply.ts";
import type { SseEvent } from "../../adapters/providers/sse.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import { anthropicFault } from "./anthropic-rules.ts";
import { chatFault } from "./chat-rules.ts";
import type { Fault } from "./faults.ts";
import { anthropicError, chatError, type WireError } from "./wire-error.ts";

/** The brain behind a mock provider: any model's `stream`, or a script's. */
type ReplySource = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<StreamPart>;

export interface MockProviderOptions {
  readonly api: "anthropic" | "chat";
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

  const refused = refusal(options, { path, headers, body });
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
  const decoded = options.api === "anthropic" ? decodeAnthropicRequest(body) : decodeChatRequest(body);
  const parts = options.reply(decoded.request, gone.signal);
  if (decoded.stream) await streamReply(options.api, { parts, fault, outgoing });
  else await sendWhole(options.api, parts, outgoing);
}

function refusal(
  options: MockProviderOptions,
  request: { readonly path: string; readonly headers: Readonly<Record<string, string>>; readonly body: unknown },
): WireError | null {
  const { path, headers, body } = request;
  if (options.api === "anthropic") {
    if (path !== "/v1/messages") return anthropicError(404, "not_found_error", "Not found");
    const key = headers["x-api-key"] ?? headers["authorization"]?.replace(/^Bearer /, "");
    if (options.apiKey !== undefined && key === undefined)
      return anthropicError(401, "authentication_error", "x-api-key header is required");
    if (options.apiKey !== undefined && key !== options.apiKey)
      return anthropicError(401, "authentication_error", "invalid x-api-key");
    if (headers["anthropic-version"] === undefined)
      return anthropicError(400, "invalid_request_error", "anthropic-version: header is required");
    return options.strict === false ? null : anthropicFault(body);
  }
  if (path !== "/v1/chat/completions") return chatError(404, `Invalid URL (POST ${path})`);
  const key = headers["authorization"]?.replace(/^Bearer /, "");
  if (options.apiKey !== undefined && key !== options.apiKey) {
    const message =
      key === undefined
        ? "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth."
        : "Incorrect API key provided.";
    return chatError(401, message, { code: "invalid_api_key" });
  }
  return options.strict === false ? null : chatFault(body);
}

interface StreamedReply {
  readonly parts: AsyncIterable<StreamPart>;
  readonly fault: Fault | null;
  readonly outgoing: ServerResponse;
}

async function streamReply(api: MockProviderOptions["api"], { parts, fault, outgoing }: StreamedReply): Promise<void> {
  const type = fault?.type === "content-type" ? fault.value : "text/event-stream; charset=utf-8";
  outgoing.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  outgoing.flushHeaders();
  if (fault?.type === "long-line") await write(outgoing, Buffer.from(`data: {"pad":"${"x".repeat(fault.bytes)}"}\n\n`));
  let sent = 0;
  const end = fault?.type === "crlf" ? "\r\n" : "\n";
  for await (const event of wireEvents(api, parts)) {
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
    if (fault?.type === "no-end" && isLast(event)) continue;
    const name = event.event === undefined ? "" : `event: ${event.event}${end}`;
    const bytes = Buffer.from(`${name}data: ${event.data}${end}${end}`, "utf8");
    if (fault?.type === "half-event" && isLast(event)) {
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

function isLast(event: SseEvent): boolean {
  return event.data === "[DONE]" || event.event === "message_stop";
}

async function* wireEvents(
  api: MockProviderOptions["api"],
  parts: AsyncIterable<StreamPart>,
): AsyncGenerator<SseEvent, void, undefined> {
  if (api === "anthropic") {
    let state = anthropicReply.startReply;
    for await (const part of parts) {
      const written = anthropicReply.encodeReplyPart(state, part);
      state = written.state;
      yield* written.events;
    }
  } else {
    let state = chatReply.startReply;
    for await (const part of parts) {
      const written = chatReply.encodeReplyPart(state, part);
      state = written.state;
      yield* written.events;
    }
  }
}

async function sendWhole(
  api: MockProviderOptions["api"],
  parts: AsyncIterable<StreamPart>,
  outgoing: ServerResponse,
): Promise<void> {
  const all: StreamPart[] = [];
  for await (const part of parts) all.push(part);
  let body: JsonObject;
  if (api === "chat") {
    body = chatReply.encodeReplyBody(all);
  } else {
    const events: SseEvent[] = [];
    let state = anthropicReply.startReply;
    for (const part of all) {
      const written = anthropicReply.encodeReplyPart(state, part);
      state = written.state;
      events.push(...written.events);
    }
    body = anthropicReply.encodeReplyBody(events);
  }
  outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function write(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed) resolve();
    else outgoing.write(bytes, () => resolve());
  });
}
