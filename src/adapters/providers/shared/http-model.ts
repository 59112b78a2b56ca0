import { context, propagation } from "@opentelemetry/api";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { LanguageModel, ModelInfo } from "../../../core/port/language-model.ts";
import type { Clock } from "../../../core/port/platform.ts";
import { BodyReader, noPiece, type Piece } from "./body-reader.ts";
import { ReplyBounds, withoutKey } from "./bounded-reply.ts";
import type { Codec } from "./codec.ts";
import { failureOf } from "./connection-failure.ts";
import { failureOfEvent, failureOfReply, isErrorBody, networkFailure } from "./errors.ts";
import { jsonInTurns } from "./json-in-turns.ts";
import { parseJson } from "./json-read.ts";
import { type Batch, type BatchSource, ReplyParts } from "./reply-parts.ts";
import { StreamedReply } from "./streamed-reply.ts";
import { Watch } from "./watch.ts";

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

/**
 * Creates a model that sends what the codec encodes and yields what it decodes. Reports every failure as a `failed` part
 * and never throws.
 */
export function createHttpModel<State>(options: HttpModelOptions<State>, deps: HttpDeps): LanguageModel {
  const endpoint = new Endpoint(options);
  return {
    info: options.info,
    api: options.codec.api,
    stream: (request, signal) =>
      new ReplyParts(
        new Exchange(endpoint, deps, request, signal),
        options.info,
        new ReplyBounds(options.apiKey),
        signal,
      ),
  };
}

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

/** What all requests to one endpoint have in common. */
class Endpoint<State> {
  readonly options: HttpModelOptions<State>;
  readonly headers: Readonly<Record<string, string>>;
  /** The model that was asked last, and its address: an endpoint is mostly asked for one. */
  #model: string | null = null;
  #url = "";

  constructor(options: HttpModelOptions<State>) {
    this.options = options;
    this.headers = {
      "content-type": "application/json",
      accept: options.streamed ? "text/event-stream, application/json" : "application/json",
      ...options.codec.headers(options.apiKey),
    };
  }

  urlOf(model: string): string {
    if (model !== this.#model) {
      const { baseUrl, codec, streamed } = this.options;
      this.#url = endpointUrl(baseUrl, codec.path(model, streamed));
      this.#model = model;
    }
    return this.#url;
  }
}

/** One exchange with a provider: the request is sent when its first parts are asked for. */
class Exchange<State> implements BatchSource {
  readonly #endpoint: Endpoint<State>;
  readonly #deps: HttpDeps;
  readonly #request: ModelRequest;
  readonly #signal: AbortSignal;
  #watch: Watch | null = null;
  #answer: BatchSource | null = null;
  #isClosed = false;

  constructor(endpoint: Endpoint<State>, deps: HttpDeps, request: ModelRequest, signal: AbortSignal) {
    this.#endpoint = endpoint;
    this.#deps = deps;
    this.#request = request;
    this.#signal = signal;
  }

  wait(): Promise<Piece> {
    return this.#answer === null ? this.#first() : this.#answer.wait();
  }

  take(piece: Piece): Batch | null {
    return this.#answer === null ? null : this.#answer.take(piece);
  }

  broken(problem: unknown): Batch {
    if (this.#answer === null) throw problem;
    return this.#answer.broken(problem);
  }

  close(): void {
    this.#isClosed = true;
    this.#answer?.close();
    this.#watch?.close();
  }

  async #first(): Promise<Piece> {
    const { codec, streamed } = this.#endpoint.options;
    const written = jsonInTurns(codec.encode(this.#request, streamed));
    const body = typeof written === "string" ? written : await written;
    if (this.#isClosed) return noPiece;
    const watch = new Watch(this.#deps.clock, this.#signal);
    this.#watch = watch;
    try {
      this.#answer = await this.#answerTo(await this.#responseTo(body, watch), watch);
    } catch (problem) {
      this.#answer = onlyBatch([{ type: "failed", failure: failureOf(problem, watch) }]);
    }
    // Nobody reads any more, and the provider answered all the same.
    if (this.#isClosed) this.close();
    return this.#answer.wait();
  }

  #responseTo(body: string, watch: Watch): Promise<Response> {
    const endpoint = this.#endpoint;
    const { connectMs } = endpoint.options.timeouts ?? defaultTimeouts;
    watch.expect(connectMs, "The provider did not answer in time.");
    return watch.race(
      this.#deps.fetch(endpoint.urlOf(this.#request.model), {
        method: "POST",
        headers: { ...endpoint.headers, ...traceHeaders() },
        body,
        redirect: "error",
        signal: watch.signal,
      }),
    );
  }

  #answerTo(response: Response, watch: Watch): BatchSource | Promise<BatchSource> {
    const { codec, timeouts } = this.#endpoint.options;
    const { idleMs } = timeouts ?? defaultTimeouts;
    watch.expect(idleMs, "The provider fell silent in the middle of its answer.");
    if (!response.ok) return this.#refusal(response, watch, idleMs);
    const type = response.headers.get("content-type") ?? "";
    const isWhole = type.includes("json") || type.includes("html");
    return isWhole ? wholeReply(codec, response, watch, idleMs) : new StreamedReply(codec, response, watch, idleMs);
  }

  async #refusal(response: Response, watch: Watch, idleMs: number): Promise<BatchSource> {
    const body = await readText(response, watch, idleMs, errorBytesMax);
    const failure = failureOfReply({
      status: response.status,
      headers: response.headers,
      // Removes the key before anything is cut, since half a key is still a secret.
      body: withoutKey(body.text, this.#endpoint.options.apiKey),
      nowMs: this.#deps.clock.now(),
    });
    return onlyBatch([{ type: "failed", failure }]);
  }
}

/** A reply that is known as a whole. */
function onlyBatch(batch: Batch): BatchSource {
  let rest: Batch | null = batch;
  return {
    wait: () => noPiece,
    take() {
      const parts = rest;
      rest = null;
      return parts;
    },
    broken(problem) {
      throw problem;
    },
    close: () => undefined,
  };
}

async function wholeReply<State>(
  codec: Codec<State>,
  response: Response,
  watch: Watch,
  idleMs: number,
): Promise<BatchSource> {
  const { text, whole } = await readText(response, watch, idleMs, replyBytesMax);
  const body = parseJson(text);
  if (whole && body === undefined && /^\s*(?:data|event|id|retry)?:/.test(text)) {
    // The server streams although it was asked for one body.
    return new StreamedReply(codec, new Response(text), watch, idleMs);
  }
  if (!whole || body === undefined) {
    const html = text.trimStart().startsWith("<");
    const message = html
      ? "The server answered with a web page instead of a reply; the base URL may be wrong."
      : whole
        ? "The server's answer is not JSON."
        : "The server's answer is too long.";
    const failure: ModelFailure = html
      ? { class: "invalid-request", message, retryable: false }
      : networkFailure(message);
    return onlyBatch([{ type: "failed", failure }]);
  }
  if (isErrorBody(body)) return onlyBatch([{ type: "failed", failure: failureOfEvent(body) }]);
  return onlyBatch(codec.decodeReply(body));
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
    for (let bytes = body.pieceOf(await body.read()); bytes !== null; bytes = body.pieceOf(await body.read())) {
      length += bytes.length;
      text += decoder.decode(bytes, { stream: true });
      if (length > bytesMax) return { text: text.slice(0, bytesMax), whole: false };
    }
  } catch (problem) {
    // The status of a truncated error page says more than the broken connection.
    if (response.ok || watch.failure !== undefined) throw problem;
  } finally {
    body.close();
  }
  return { text: text + decoder.decode(), whole: true };
}
