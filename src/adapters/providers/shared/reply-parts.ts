import type { ModelFailure } from "../../../core/model/failure.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { ModelInfo } from "../../../core/port/language-model.ts";
import type { Piece } from "./body-reader.ts";
import type { ReplyBounds } from "./bounded-reply.ts";
import { cancelledFailure } from "./errors.ts";

/** The parts that one piece of an answer brought: each step on their way costs as much as reading a small piece. */
export type Batch = readonly StreamPart[];

/**
 * Where the parts of one reply come from. Waiting and reading are two calls, so that a piece is waited for once: a promise
 * for each step on its way would cost more than reading it.
 */
export interface BatchSource {
  /** Waits for the next piece, for `take`; called once at a time. Rejects when the connection breaks, for `broken`; never throws. */
  wait(): Promise<Piece>;
  /** Returns the parts of the piece that `wait` gave, which may be none; null after the last. */
  take(piece: Piece): Batch | null;
  /** Returns the last parts after `wait` rejected; throws what no provider caused. */
  broken(problem: unknown): Batch;
  /** Releases what the source holds, and leaves an answer that is not read to its end; a second call changes nothing. */
  close(): void;
}

type Result = IteratorResult<StreamPart, undefined>;

const over: Result = { done: true, value: undefined };

/**
 * Hands out the parts of a reply one by one and keeps the port's promises: only `cancelled` follows an abort, an end for lack
 * of room is reported as such, and no reply is larger than its bounds. It is not a generator, because a generator waits for
 * several promises at each part, which costs more than decoding one.
 */
export class ReplyParts implements AsyncIterableIterator<StreamPart, undefined, undefined> {
  readonly #source: BatchSource;
  readonly #info: ModelInfo;
  readonly #bounds: ReplyBounds;
  readonly #signal: AbortSignal;
  #batch: Batch = [];
  #at = 0;
  #isEmpty = true;
  #isOver = false;
  /** The call of `next` that waits for a piece; null while none does. */
  #waiting: Promise<Result> | null = null;

  constructor(source: BatchSource, info: ModelInfo, bounds: ReplyBounds, signal: AbortSignal) {
    this.#source = source;
    this.#info = info;
    this.#bounds = bounds;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    if (this.#waiting !== null) {
      const again = (): Promise<Result> => this.next();
      return this.#waiting.then(again, again);
    }
    if (this.#isOver) return Promise.resolve(over);
    const part = this.#batch[this.#at];
    if (part !== undefined) return Promise.resolve(this.#take(part));
    this.#waiting = this.#read();
    return this.#waiting;
  }

  /** Ends the reply for a reader that stops in its middle. */
  return(): Promise<Result> {
    this.#end();
    return Promise.resolve(over);
  }

  /**
   * Waits for a piece that brings parts and hands out the first: a third of a stream's pieces bring none, and a promise
   * within a promise for each would cost more than waiting in a loop.
   */
  async #read(): Promise<Result> {
    try {
      for (;;) {
        let piece: Piece | undefined;
        let problem: unknown;
        try {
          piece = await this.#source.wait();
        } catch (cause) {
          problem = cause;
        }
        const batch = this.#isOver ? null : this.#batchOf(piece, problem);
        if (batch === null) return this.#end();
        const first = batch[0];
        if (first === undefined) continue;
        this.#batch = batch;
        this.#at = 0;
        return this.#take(first);
      }
    } catch (problem) {
      this.#end();
      throw problem;
    } finally {
      this.#waiting = null;
    }
  }

  #batchOf(piece: Piece | undefined, problem: unknown): Batch | null {
    return piece === undefined ? this.#source.broken(problem) : this.#source.take(piece);
  }

  #take(part: StreamPart): Result {
    this.#at += 1;
    if (this.#signal.aborted) {
      this.#end();
      return { done: false, value: { type: "failed", failure: cancelledFailure } };
    }
    if ("index" in part) this.#isEmpty = false;
    const full = part.type === "finished" && this.#isEmpty && isFull(part, this.#info);
    const value = this.#bounds.take(full ? { type: "failed", failure: windowFull } : part);
    if (this.#bounds.over) this.#end();
    return { done: false, value };
  }

  #end(): Result {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#batch = [];
      this.#source.close();
    }
    return over;
  }
}

/** Whether a reply ended because there was no room for a word of it. */
function isFull(part: Extract<StreamPart, { readonly type: "finished" }>, { contextTokensMax }: ModelInfo): boolean {
  if (part.reason !== "max-tokens" || contextTokensMax === null) return false;
  return part.usage.inputTokens >= fullShare * contextTokensMax;
}

/** Share of the window from which an empty reply counts as out of room. */
const fullShare = 0.99;
const windowFull: ModelFailure = {
  class: "context-length",
  message: "The conversation fills the model's whole window, so there was no room for a reply.",
  retryable: false,
};
