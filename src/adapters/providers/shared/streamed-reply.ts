import type { ModelFailure } from "../../../core/model/failure.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { BodyReader, noPiece, type Piece } from "./body-reader.ts";
import type { Codec } from "./codec.ts";
import { failureOf } from "./connection-failure.ts";
import { brokenOff } from "./errors.ts";
import { isRepeated } from "./repeated-event.ts";
import type { Batch, BatchSource } from "./reply-parts.ts";
import { SseReader, type SseEvent } from "./sse.ts";
import type { Watch } from "./watch.ts";

/** Longest stream in bytes: no real reply is as long, but a hostile server may never stop. */
const streamBytesMax = 512 * 1024 * 1024;

/** Decodes an answer of server-sent events, piece by piece. */
export class StreamedReply<State> implements BatchSource {
  readonly #codec: Codec<State>;
  readonly #body: BodyReader;
  readonly #watch: Watch;
  readonly #sse = new SseReader();
  #state: State;
  #before: SseEvent | undefined;
  #length = 0;
  /** Whether a part said that the reply is over. */
  #hasEnd = false;
  #isOver = false;

  constructor(codec: Codec<State>, response: Response, watch: Watch, idleMs: number) {
    this.#codec = codec;
    this.#state = codec.start;
    this.#watch = watch;
    this.#body = new BodyReader(response, watch, idleMs);
  }

  wait(): Promise<Piece> {
    return this.#isOver ? noPiece : this.#body.read();
  }

  take(piece: Piece): Batch | null {
    if (this.#isOver) return null;
    try {
      const bytes = this.#body.pieceOf(piece);
      if (bytes === null) return this.#rest(this.#read(this.#sse.end()), undefined);
      this.#length += bytes.length;
      const parts = this.#read(this.#sse.push(bytes));
      if (this.#hasEnd) {
        this.#isOver = true;
        this.#body.finish();
      } else if (this.#isTooLong()) {
        const what = this.#sse.overflowed ? "a line of more than 10 MB" : "a reply without an end";
        const failure: ModelFailure = { class: "unknown", message: `The provider sent ${what}.`, retryable: false };
        return this.#rest(parts, failure);
      }
      return parts;
    } catch (problem) {
      return this.broken(problem);
    }
  }

  broken(problem: unknown): Batch {
    return this.#rest([], failureOf(problem, this.#watch));
  }

  close(): void {
    this.#isOver = true;
    this.#body.close();
  }

  #isTooLong(): boolean {
    return this.#sse.overflowed || this.#length > streamBytesMax;
  }

  #read(events: readonly SseEvent[]): Batch {
    let parts: Batch = nothing;
    let several: StreamPart[] | undefined;
    for (const event of events) {
      if (isRepeated(this.#before, event)) continue;
      this.#before = event;
      const decoded = this.#codec.decodeChunk(this.#state, event);
      this.#state = decoded.state;
      for (const { type } of decoded.parts) if (type === "finished" || type === "failed") this.#hasEnd = true;
      // Most pieces are one event, whose parts are handed on as they are.
      if (parts.length === 0) parts = decoded.parts;
      else (several ??= [...parts]).push(...decoded.parts);
    }
    return several ?? parts;
  }

  /** Returns the last parts, and how the reply ended. */
  #rest(last: Batch, trouble: ModelFailure | undefined): Batch {
    this.close();
    if (this.#hasEnd) return last;
    // A reply that was complete before the connection broke is a complete reply, unless the caller aborted it.
    const ending = this.#codec.decodeEnd(this.#state);
    const finished = ending.some((part) => part.type === "finished") && trouble?.class !== "cancelled";
    if (finished || (trouble === undefined && ending.length > 0)) return [...last, ...ending];
    return [...last, { type: "failed", failure: trouble ?? brokenOff }];
  }
}

const nothing: Batch = [];
