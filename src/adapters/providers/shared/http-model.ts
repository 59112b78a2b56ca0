import { context, propagation } from "@opentelemetry/api";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { LanguageModel, ModelInfo } from "../../../core/port/language-model.ts";
import type { Clock } from "../../../core/port/platform.ts";
import { boundedReply, withoutKey } from "./bounded-reply.ts";
import type { Codec } from "./codec.ts";
import { brokenOff, cancelledFailure, failureOfEvent, failureOfReply, isErrorBody, networkFailure } from "./errors.ts";
import { parseJson } from "./json-read.ts";
import { isRepeated } from "./repeated-event.ts";
import { createSseReader, type SseEvent } from "./sse.ts";

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
    stream: (request, signal) =>
      boundedReply(enforceContract(streamReply(options, deps, request, signal), options.info, signal), options.apiKey),
  };
}

/** Enforces the port's promises: only `cancelled` follows an abort, and an end for lack of room is reported as such. */
async function* enforceContract(
  parts: AsyncIterable<StreamPart>,
  info: ModelInfo,
  signal: AbortSignal,
): AsyncGenerator<StreamPart, void, undefined> {
  let empty = true;
  for await (const part of parts) {
    if (signal.aborted) {
      yield { type: "failed", failure: cancelledFailure };
      return;
    }
    if ("index" in part) empty = false;
    const full =
      part.type === "finished" &&
      part.reason === "max-tokens" &&
      empty &&
      info.contextTokensMax !== null &&
      part.usage.inputTokens >= fullShare * info.contextTokensMax;
    yield full ? { type: "failed", failure: windowFull } : part;
  }
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
): AsyncGenerator<StreamPart, void, undefined> {
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
      yield {
        type: "failed",
        failure: failureOfReply({
          status: response.status,
          headers: response.headers,
          // Removes the key before anything is cut, since half a key is still a secret.
          body: withoutKey(body.text, options.apiKey),
          nowMs: deps.clock.now(),
        }),
      };
      return;
    }
    const type = response.headers.get("content-type") ?? "";
    if (type.includes("json") || type.includes("html")) yield* wholeReply(options.codec, response, watch, idleMs);
    else yield* streamedReply(options.codec, response, watch, idleMs);
  } catch (problem) {
    yield { type: "failed", failure: watch.failure() ?? networkFailure(wordsOf(problem)) };
  } finally {
    watch.close();
  }
}

async function* streamedReply<State>(
  codec: Codec<State>,
  response: Response,
  watch: Watch,
  idleMs: number,
): AsyncGenerator<StreamPart, void, undefined> {
  const sse = createSseReader();
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
    for await (const bytes of pieces(response, watch, idleMs)) {
      length += bytes.length;
      yield* take(sse.push(bytes));
      if (over) return;
      if (sse.overflowed || length > streamBytesMax) {
        const what = sse.overflowed ? "a line of more than 10 MB" : "a reply without an end";
        trouble = { class: "unknown", message: `The provider sent ${what}.`, retryable: false };
        break;
      }
    }
    if (trouble === undefined) yield* take(sse.end());
    if (over) return;
  } catch (problem) {
    trouble = watch.failure() ?? networkFailure(wordsOf(problem));
  }
  // A reply that was complete before the connection broke is a complete reply, unless the caller aborted it.
  const ending = codec.decodeEnd(state);
  const finished = ending.some((part) => part.type === "finished") && trouble?.class !== "cancelled";
  if (finished || (trouble === undefined && ending.length > 0)) yield* ending;
  else yield { type: "failed", failure: trouble ?? brokenOff };
}

async function* wholeReply<State>(
  codec: Codec<State>,
  response: Response,
  watch: Watch,
  idleMs: number,
): AsyncGenerator<StreamPart, void, undefined> {
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
    yield {
      type: "failed",
      failure: html ? { class: "invalid-request", message, retryable: false } : networkFailure(message),
    };
  } else if (isErrorBody(body)) {
    yield { type: "failed", failure: failureOfEvent(body) };
  } else {
    yield* codec.decodeReply(body);
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
  let text = "";
  let length = 0;
  try {
    for await (const bytes of pieces(response, watch, idleMs)) {
      length += bytes.length;
      text += decoder.decode(bytes, { stream: true });
      if (length > bytesMax) return { text: text.slice(0, bytesMax), whole: false };
    }
  } catch (problem) {
    // The status of a truncated error page says more than the broken connection.
    if (response.ok || watch.failure() !== undefined) throw problem;
  }
  return { text: text + decoder.decode(), whole: true };
}

async function* pieces(response: Response, watch: Watch, idleMs: number): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      watch.expect(idleMs, "The provider fell silent in the middle of its answer.");
      const { done, value } = await watch.race(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: a hanging connection would delay the end of the reply.
    reader.cancel().catch(() => undefined);
  }
}

/** Ends a wait when the caller aborts or the other side is silent for too long. */
interface Watch {
  readonly signal: AbortSignal;
  /** Restarts the timer for the next piece. */
  expect(delayMs: number, message: string): void;
  race<Value>(promise: Promise<Value>): Promise<Value>;
  /** The reason why waiting ended; undefined while it has not. */
  failure(): ModelFailure | undefined;
  close(): void;
}

function createWatch(clock: Clock, caller: AbortSignal): Watch {
  const controller = new AbortController();
  let failure: ModelFailure | undefined;
  let cancelTimer = (): void => undefined;
  /** Ends the current wait. A race with one shared promise would leak memory with each piece. */
  let giveUp = (_problem: Error): void => undefined;
  const end = (why: ModelFailure): void => {
    if (failure !== undefined) return;
    failure = why;
    giveUp(new Error(why.message));
    controller.abort();
  };
  const onAbort = (): void => end(cancelledFailure);
  if (caller.aborted) onAbort();
  else caller.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    expect(delayMs, message) {
      cancelTimer();
      cancelTimer = clock.setTimer(delayMs, () => end(networkFailure(message)));
    },
    race: (promise) =>
      new Promise((resolve, reject) => {
        giveUp = reject;
        // The losing promise may still reject; this handles it.
        promise.then(resolve, reject);
        if (failure !== undefined) reject(new Error(failure.message));
      }),
    failure: () => failure,
    close() {
      cancelTimer();
      caller.removeEventListener("abort", onAbort);
      // The consumer may have stopped reading in the middle of the reply.
      controller.abort();
    },
  };
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
