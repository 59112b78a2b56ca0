import { createParser } from "eventsource-parser";
import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { claudeCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { geminiCodec } from "../../src/adapters/providers/gemini/codec.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { plainChatCompat } from "../../src/adapters/providers/openai-chat/compat.ts";
import { responsesCodec } from "../../src/adapters/providers/openai-responses/codec.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import { createHttpModel, type HttpDeps } from "../../src/adapters/providers/shared/http-model.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";
import { SseReader } from "../../src/adapters/providers/shared/sse.ts";
import { assemble, type Assembly, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import { must } from "../../src/core/base/assert.ts";
import { recorded } from "../../test/providers/official.ts";
import { decoderFor } from "../../test/providers/recorded-codecs.ts";
import type { RecordedStream } from "../../test/providers/recordings.ts";

/** A recorded stream in the pieces it arrives in. */
export interface ArrivingStream {
  readonly api: string;
  readonly body: string;
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
}

/** Cuts streams behind every event, as servers send them. */
export function byEvent(rows: readonly RecordedStream[]): readonly ArrivingStream[] {
  return rows.map(({ api, body }) => ({
    api,
    body,
    pieces: body.split(/(?<=\r?\n\r?\n)/u).map((event) => new TextEncoder().encode(event)),
  }));
}

/** Cuts streams into pieces of one size, as a fast network or a file gives them. */
export function bySize(rows: readonly RecordedStream[], size: number): readonly ArrivingStream[] {
  return rows.map(({ api, body }) => {
    const bytes = new TextEncoder().encode(body);
    const count = Math.ceil(bytes.length / size);
    return { api, body, pieces: Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size)) };
  });
}

/** The limit: bytes to text to events, without reading them. */
export function parserAlone(streams: readonly ArrivingStream[]): number {
  let units = 0;
  for (const { pieces } of streams) {
    const text = new TextDecoder();
    const parser = createParser({ onEvent: ({ data }) => (units += data.length) });
    for (const piece of pieces) parser.feed(text.decode(piece, { stream: true }));
  }
  return units;
}

/** The same with each event's JSON parsed: the minimum for a decoder that looks at every event. */
export function parserAndJson(streams: readonly ArrivingStream[]): number {
  let events = 0;
  for (const { pieces } of streams) {
    const text = new TextDecoder();
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data.startsWith("{") && isJson(data)) events += 1;
      },
    });
    for (const piece of pieces) parser.feed(text.decode(piece, { stream: true }));
  }
  return events;
}

/**
 * The least that a client over HTTP does: sends a request that it can abandon, takes each piece from the response, cuts it into
 * events and parses the JSON of each. It puts no message together, and waits for no one who reads it.
 */
export async function floorThroughHttp({ pieces }: ArrivingStream): Promise<number> {
  const response = await recorded(pieces)("http://127.0.0.1", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "?" }], stream: true }),
    signal: new AbortController().signal,
  });
  const reader = must(response.body, "a recorded reply has a body").getReader();
  const text = new TextDecoder();
  let events = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data.startsWith("{") && isJson(data)) events += 1;
    },
  });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return events;
    parser.feed(text.decode(value, { stream: true }));
  }
}

function isJson(data: string): boolean {
  try {
    return JSON.parse(data) !== undefined;
  } catch {
    return false;
  }
}

/** Bytes to parts of replies, as the pipe decodes them. */
export function heddleDecoding(streams: readonly ArrivingStream[]): number {
  let parts = 0;
  for (const { api, pieces } of streams) {
    const reader = new SseReader();
    const decoder = decoderFor(api).start();
    for (const piece of pieces) for (const event of reader.push(piece)) parts += decoder.push(event).length;
    for (const event of reader.end()) parts += decoder.push(event).length;
    parts += decoder.end().length;
  }
  return parts;
}

/** A reply over the whole way that Heddle takes: one response through the HTTP client, put together as a message. */
export async function heddleMessage({ api, pieces }: ArrivingStream): Promise<Assembly> {
  answer = recorded(pieces);
  let assembly = emptyAssembly;
  for await (const part of modelFor(api).stream(asked, new AbortController().signal))
    assembly = assemble(assembly, part);
  return assembly;
}

const asked: ModelRequest = {
  model: "m",
  system: "",
  messages: [{ role: "user", content: [{ type: "text", text: "?" }] }],
  tools: [],
  maxTokens: 1,
  thinking: "off",
};

const info = {
  id: "p/m",
  name: "m",
  contextTokensMax: null,
  outputTokensMax: null,
  tools: true,
  thinking: false,
  local: false,
} as const;

/** What the network answers now. A model is made once and asked often, as the official clients are. */
let answer = recorded([]);
const deps: HttpDeps = { fetch: (url, init) => answer(url, init), clock: systemPlatform().clock };
const at = { info, baseUrl: "http://127.0.0.1", streamed: true };
const models: Readonly<Record<string, LanguageModel>> = {
  anthropic: createHttpModel({ ...at, codec: anthropicCodec(claudeCompat("claude-opus-4-8")) }, deps),
  chat: createHttpModel({ ...at, codec: chatCodec(plainChatCompat) }, deps),
  responses: createHttpModel({ ...at, codec: responsesCodec(responsesCompat("gpt-5.4")) }, deps),
  "gemini-stream": createHttpModel({ ...at, codec: geminiCodec(geminiCompat("gemini-3-flash-preview")) }, deps),
};

function modelFor(api: string): LanguageModel {
  return must(models[api], `a model of ${api}`);
}
