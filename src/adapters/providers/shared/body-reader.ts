import type { Watch } from "./watch.ts";

/** How long, in milliseconds, and how far, in bytes, a body is read on whose reply is complete already. */
const restMs = 1_000;
const restBytesMax = 64 * 1024;

/** What reading once gave. */
export type Piece = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>>;

/** What reading gives when there is nothing more. */
export const noPiece: Promise<Piece> = Promise.resolve({ done: true, value: undefined });

/**
 * Reads the body of an answer piece by piece, for as long as the watch allows. Reading takes two calls, so that a reader
 * waits once for each piece and not twice.
 */
export class BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #watch: Watch;
  readonly #idleMs: number;
  #isDone = false;

  constructor(response: Response, watch: Watch, idleMs: number) {
    this.#reader = response.body?.getReader();
    this.#watch = watch;
    this.#idleMs = idleMs;
    // Ends a read that waits; a race of each read with one shared promise would cost more than the read.
    watch.onEnd(() => this.#cancel());
  }

  /** Asks for the next piece, for `pieceOf`. Rejects when the connection breaks. */
  read(): Promise<Piece> {
    if (this.#reader === undefined) return noPiece;
    this.#watch.expect(this.#idleMs, "The provider fell silent in the middle of its answer.");
    return this.#reader.read();
  }

  /** Returns the bytes of what `read` gave; null at the end. Throws when the watch ended the wait. */
  pieceOf({ done, value }: Piece): Uint8Array | null {
    const failure = this.#watch.failure;
    if (failure !== undefined) throw new Error(failure.message);
    if (!done) return value;
    this.#isDone = true;
    this.#watch.whole();
    return null;
  }

  /** Leaves a body that is not read to its end, and with it the connection. */
  close(): void {
    if (!this.#isDone) this.#cancel();
  }

  /**
   * Reads the rest of a body whose reply is complete, so that the next request finds its connection open: a body that is
   * left takes its connection with it. Nobody waits for this, and it is brief.
   */
  finish(): void {
    if (this.#isDone || this.#reader === undefined) return;
    this.#isDone = true;
    this.#watch.whole();
    void this.#readRest(this.#reader);
  }

  async #readRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const stop = this.#watch.later(restMs, () => this.#cancel());
    try {
      for (let length = 0; length <= restBytesMax;) {
        const { done, value } = await reader.read();
        if (done) return;
        length += value.length;
      }
      this.#cancel();
    } catch {
      // A connection that breaks now takes nothing with it.
    } finally {
      stop();
    }
  }

  #cancel(): void {
    // Not awaited: a hanging connection would delay the end of the reply.
    this.#reader?.cancel().catch(() => undefined);
  }
}
