import type { ModelFailure } from "../../../core/model/failure.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { LanguageModel, ModelInfo } from "../../../core/port/language-model.ts";
import type { Clock } from "../../../core/port/platform.ts";
import { boundedReply, withoutKey } from "./bounded-reply.ts";
import type { Codec } from "./codec.ts";
import { brokenOff, cancelledFailure, failureOfEvent, failureOfReply, isErrorBody, networkFailure } from "./errors.ts";
import { parseJson } from "./json-read.ts";
import { createSseReader } from "./sse.ts";

/** What reaches the outside, so that tests can hold the network and the time. */
export interface HttpDeps {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
}

/** How long silence is borne, in milliseconds. */
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
  /** Whether replies are asked for piece by piece; where not, each comes as one body. */
  readonly streamed: boolean;
  readonly timeouts?: HttpTimeouts;
}

/** Longest error body, and longest reply in one body, that are read; in bytes. */
const errorBytesMax = 64 * 1024;
const replyBytesMax = 32 * 1024 * 1024;
/** Longest stream, in bytes: no reply is as long, but a hostile server's may have no end. */
const streamBytesMax = 512 * 1024 * 1024;

/** The pipe: sends what the codec encodes and gives what it decodes. Every failure is a `failed` part; it never throws. */
export function createHttpModel<State>(options: HttpModelOptions<State>, deps: HttpDeps): LanguageModel {
  return {
    info: options.info,
    api: options.codec.api,
    stream: (request, signal) =>
      boundedReply(judged(streamReply(options, deps, request, signal), options.info, signal), options.apiKey),
  };
}

/** Holds a reply to the port's promises: after an abort nothing but `cancelled`; an end for want of room says so. */
async function* judged(
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
      part.usage.inputTokens >= fullShare * info.contextTokensMax;
    yield full ? { type: "failed", failure: windowFull } : part;
  }
}

/** Share of the window from which a reply without a word counts as one that had no room. */
const fullShare = 0.99;
const windowFull: ModelFailure = {
  class: "context-length",
  message: "The conversation fills the model's whole window, so there was no room for a reply.",
  retryable: false,
};

/** The address of an endpoint; a base URL may or may not name the version that the path starts with. */
export function endpointUrl(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, "");
  const unversioned = path.replace(/^\/v\d+[a-z]*\d*/, "");
  if (base.endsWith(unversioned)) return base;
  return /\/v\d+[a-z]*\d*$/.test(base) ? base + unversioned : base + path;
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
          // Before anything is cut off: half a key is still one.
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
  let over = false;
  const take = (events: ReturnType<typeof sse.push>): readonly StreamPart[] => {
    const parts: StreamPart[] = [];
    for (const event of events) {
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
  // A reply that was complete before the connection broke is a complete reply, unless someone wanted it to end.
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
  if (whole && body === undefined && /^(?:data|event|id|retry)?:/.test(text)) {
    // A stream under a wrong name.
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
    // An error page that broke off still has a status that says more than the break does.
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
    // Not waited for: a connection that hangs would hold up the end of the reply.
    reader.cancel().catch(() => undefined);
  }
}

/** Ends waiting when the caller gives up or the other side keeps silent for too long. */
interface Watch {
  readonly signal: AbortSignal;
  /** Starts the time for the next piece anew. */
  expect(delayMs: number, message: string): void;
  race<Value>(promise: Promise<Value>): Promise<Value>;
  /** Why waiting ended; undefined while it has not. */
  failure(): ModelFailure | undefined;
  close(): void;
}

function createWatch(clock: Clock, caller: AbortSignal): Watch {
  const controller = new AbortController();
  let failure: ModelFailure | undefined;
  let cancelTimer = (): void => undefined;
  /** Ends the one wait there is at a time: a race with one promise for all would leave something behind with each piece. */
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
        // What loses may still fail; nobody else listens to it.
        promise.then(resolve, reject);
        if (failure !== undefined) reject(new Error(failure.message));
      }),
    failure: () => failure,
    close() {
      cancelTimer();
      caller.removeEventListener("abort", onAbort);
      // The consumer may have walked away in mid-reply.
      controller.abort();
    },
  };
}

/** A connection's problem in words; the useful ones are in its cause. */
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
