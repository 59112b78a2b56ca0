import { context, propagation } from "@opentelemetry/api";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { LanguageModel, ModelInfo } from "../../../core/port/language-model.ts";
import type { Clock } from "../../../core/port/platform.ts";
import { BodyReader } from "./body-reader.ts";
import { ReplyBounds, withoutKey } from "./bounded-reply.ts";
import type { Codec } from "./codec.ts";
import { brokenOff, cancelledFailure, failureOfEvent, failureOfReply, isErrorBody, networkFailure } from "./errors.ts";
import { parseJson } from "./json-read.ts";
import { isRepeated } from "./repeated-event.ts";
import { createSseReader, type SseEvent } from "./sse.ts";
import { createWatch, type Watch } from "./watch.ts";

/** The outside dependencies, so that tests can control the network and the time. */
export interface HttpDeps {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
}

/** How long silence is tolerated, in milliseconds. */
export interface HttpTimeouts {
  /** From the request to the first byte of the answer; local servers read the whole prompt before they answer. */
  readonly connectMs: number;
  /** Between two pieces of an answer. */
  readonly idleMs: number;
}

const defaultTimeouts: HttpTimeouts = { connectMs: 120_000, idleMs: 120_000 };

/** One model behind one HTTP endpoint. */
export interface HttpModelOptions<State> {
  readonly info: ModelInfo;
  /** The provider's name of the model. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly codec: Codec<State>;
  /** Whether replies are streamed; if not, each comes as one body. */
  readonly streamed: boolean;
  readonly timeouts?: HttpTimeouts;
}

/** Longest error body, and longest unstreamed reply, in bytes. */
const errorBytesMax = 64 * 1024;
const replyBytesMax = 32 * 1024 * 1024;
/** Longest stream in bytes: no real reply is as long, but a hostile server may never stop. */
const streamBytesMax = 512 * 1024 * 1024;

/**
 * Creates a model that sends what the codec encodes and yields what it decodes. Reports every failure as a `failed` part
 * and never throws.
 */
export function createHttpModel<State>(options: HttpModelOptions<State>, deps: HttpDeps): LanguageModel {
  return {
    info: options.info,
    api: options.codec.api,
    stream: (request, signal) => keptPromises(options, streamReply(options, deps, request, signal), signal),
  };
}

/** The parts that one piece of an answer brought: each step on their way costs as much as reading a small piece. */
type Batch = readonly StreamPart[];

/**
 * Keeps the port's promises: only `cancelled` follows an abort, an end for lack of room is reported as such, and no reply is
 * larger than its bounds.
 */
async function* keptPromises<State>(
  { info, apiKey }: HttpModelOptions<State>,
  batches: AsyncIterable<Batch>,
  signal: AbortSignal,
): AsyncGenerator<StreamPart, void, undefined> {
  const bounds = new ReplyBounds(apiKey);
  let empty = true;
  for await (const batch of batches) {
    for (const part of batch) {
      if (signal.aborted) {
        yield { type: "failed", failure: cancelledFailure };
        return;
      }
      if ("index" in part) empty = false;
      yield bounds.take(empty && isFull(part, info) ? { type: "failed", failure: windowFull } : part);
      if (bounds.over) return;
    }
  }
}

/** Whether a reply ended because there was no room for a word of it. */
function isFull(part: StreamPart, { contextTokensMax }: ModelInfo): boolean {
  if (part.type !== "finished" || part.reason !== "max-tokens" || contextTokensMax === null) return false;
  return part.usage.inputTokens >= fullShare * contextTokensMax;
}

/** Share of the window from which an empty reply counts as out of room. */
const fullShare = 0.99;
const windowFull: ModelFailure = {
  class: "context-length",
  message: "The conversation fills the model's whole window, so there was no room for a reply.",
  retryable: false,
};

/** The address of an endpoint; a base URL may or may not include the version that the path starts with. */
export function endpointUrl(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, "");
  const unversioned = path.replace(/^\/v\d+[a-z]*\d*/, "");
  if (base.endsWith(unversioned)) return base;
  return /\/v\d+[a-z]*\d*$/.test(base) ? base + unversioned : base + path;
}

/** Returns the headers by which a provider's spans join ours; none without an OpenTelemetry SDK in the process. */
function traceHeaders(): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

async function* streamReply<State>(
  options: HttpModelOptions<State>,
  deps: HttpDeps,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  const watch = createWatch(deps.clock, signal);
  const { connectMs, idleMs } = options.timeouts ?? defaultTimeouts;
  const sent = JSON.stringify(options.codec.encode(request, options.streamed));
  try {
    watch.expect(connectMs, "The provider did not answer in time.");
    const response = await watch.race(
      deps.fetch(endpointUrl(options.baseUrl, options.codec.path(request.model, options.streamed)), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: options.streamed ? "text/event-stream, application/json" : "application/json",
          ...options.codec.headers(options.apiKey),
          ...traceHeaders(),
        },
        body: sent,
        redirect: "error",
        signal: watch.signal,
      }),
    );
    watch.expect(idleMs, "The provider fell silent in the middle of its answer.");
    if (!response.ok) {
      const body = await readText(response, watch, idleMs, errorBytesMax);
      const failure = failureOfReply({
        status: response.status,
        headers: response.headers,
        // Removes the key before anything is cut, since half a key is still a secret.
        body: withoutKey(body.text, options.apiKey),
        nowMs: deps.clock.now(),
      });
      yield [{ type: "failed", failure }];
      return;
    }
    const type = response.headers.get("content-type") ?? "";
    if (type.includes("json") || type.includes("html")) yield* wholeReply(options.codec, response, watch, idleMs);
    else yield* streamedReply(options.codec, response, watch, idleMs);
  } catch (problem) {
    yield [{ type: "failed", failure: watch.failure() ?? networkFailure(wordsOf(problem)) }];
  } finally {
    watch.close();
  }
}

async function* streamedReply<State>(
  codec: Codec<State>,
  response: Response,
  watch: Watch,
  idleMs: number,
): AsyncGenerator<Batch, void, undefined> {
  const sse = createSseReader();
  const body = new BodyReader(response, watch, idleMs);
  let state = codec.start;
  let before: SseEvent | undefined;
  let over = false;
  const take = (events: ReturnType<typeof sse.push>): readonly StreamPart[] => {
    const parts: StreamPart[] = [];
    for (const event of events) {
      if (isRepeated(before, event)) continue;
      before = event;
      const decoded = codec.decodeChunk(state, event);
      state = decoded.state;
      parts.push(...decoded.parts);
    }
    over = parts.some(isEnd);
    return parts;
  };
  let trouble: ModelFailure | undefined;
  try {
    let length = 0;
    for (let bytes = await body.next(); bytes !== null; bytes = await body.next()) {
      length += bytes.length;
      const parts = take(sse.push(bytes));
      if (over) body.finish();
      if (parts.length > 0) yield parts;
      if (over) return;
      if (sse.overflowed || length > streamBytesMax) {
        const what = sse.overflowed ? "a line of more than 10 MB" : "a reply without an end";
        trouble = { class: "unknown", message: `The provider sent ${what}.`, retryable: false };
        break;
      }
    }
    if (trouble === undefined) yield take(sse.end());
    if (over) return;
  } catch (problem) {
    trouble = watch.failure() ?? networkFailure(wordsOf(problem));
  } finally {
    body.close();
  }
  // A reply that was complete before the connection broke is a complete reply, unless the caller aborted it.
  const ending = codec.decodeEnd(state);
  const finished = ending.some((part) => part.type === "finished") && trouble?.class !== "cancelled";
  if (finished || (trouble === undefined && ending.length > 0)) yield ending;
  else yield [{ type: "failed", failure: trouble ?? brokenOff }];
}

async function* wholeReply<State>(
  codec: Codec<State>,
  response: Response,
  watch: Watch,
  idleMs: number,
): AsyncGenerator<Batch, void, undefined> {
  const { text, whole } = await readText(response, watch, idleMs, replyBytesMax);
  const body = parseJson(text);
  if (whole && body === undefined && /^\s*(?:data|event|id|retry)?:/.test(text)) {
    // The server streams although it was asked for one body.
    yield* streamedReply(codec, new Response(text), watch, idleMs);
  } else if (!whole || body === undefined) {
    const html = text.trimStart().startsWith("<");
    const message = html
      ? "The server answered with a web page instead of a reply; the base URL may be wrong."
      : whole
        ? "The server's answer is not JSON."
        : "The server's answer is too long.";
    const failure: ModelFailure = html
      ? { class: "invalid-request", message, retryable: false }
      : networkFailure(message);
    yield [{ type: "failed", failure }];
  } else if (isErrorBody(body)) {
    yield [{ type: "failed", failure: failureOfEvent(body) }];
  } else {
    yield codec.decodeReply(body);
  }
}

function isEnd(part: StreamPart): boolean {
  return part.type === "finished" || part.type === "failed";
}

async function readText(
  response: Response,
  watch: Watch,
  idleMs: number,
  bytesMax: number,
): Promise<{ readonly text: string; readonly whole: boolean }> {
  const decoder = new TextDecoder();
  const body = new BodyReader(response, watch, idleMs);
  let text = "";
  let length = 0;
  try {
    for (let bytes = await body.next(); bytes !== null; bytes = await body.next()) {
      length += bytes.length;
      text += decoder.decode(bytes, { stream: true });
      if (length > bytesMax) return { text: text.slice(0, bytesMax), whole: false };
    }
  } catch (problem) {
    // The status of a truncated error page says more than the broken connection.
    if (response.ok || watch.failure() !== undefined) throw problem;
  } finally {
    body.close();
  }
  return { text: text + decoder.decode(), whole: true };
}

/** The connection's problem as a message; the useful text is in its cause. */
function wordsOf(problem: unknown): string {
  const words: string[] = [];
  for (let at: unknown = problem, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    const code = "code" in at && typeof at.code === "string" ? at.code : undefined;
    words.push(code === undefined || at.message.includes(code) ? at.message : `${at.message} (${code})`);
  }
  return words.length === 0
    ? "The connection to the provider failed."
    : `The connection to the provider failed: ${words.join(": ")}.`;
}
