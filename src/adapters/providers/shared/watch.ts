import type { ModelFailure } from "../../../core/model/failure.ts";
import type { Clock } from "../../../core/port/platform.ts";
import { cancelledFailure, networkFailure } from "./errors.ts";

/** Made once: an abort without a reason makes an exception with a stack each time. */
const left = new Error("Nobody reads this reply any more.");

/**
 * Watches one exchange of a caller with a provider: ends a wait when the caller aborts or the other side is silent for too
 * long.
 */
export class Watch {
  readonly #clock: Clock;
  readonly #caller: AbortSignal;
  readonly #controller = new AbortController();
  readonly #onAbort = (): void => this.#end(cancelledFailure);
  #failure: ModelFailure | undefined;
  #isWhole = false;
  #cancelTimer: (() => void) | null = null;
  /** When the timer under way ends; a later deadline lets it end and be set again, so that a piece sets none. */
  #timerAt = 0;
  #deadlineAt = 0;
  #silence = "";
  /** Ends the current wait. */
  #giveUp: (() => void) | null = null;

  constructor(clock: Clock, caller: AbortSignal) {
    this.#clock = clock;
    this.#caller = caller;
    if (caller.aborted) this.#onAbort();
    else caller.addEventListener("abort", this.#onAbort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The reason why waiting ended; undefined while it has not. */
  get failure(): ModelFailure | undefined {
    return this.#failure;
  }

  /** Restarts the timer for the next piece; `message` says what a silence is. */
  expect(delayMs: number, message: string): void {
    this.#deadlineAt = this.#clock.monotonic() + delayMs;
    this.#silence = message;
    if (this.#cancelTimer !== null && this.#timerAt <= this.#deadlineAt) return;
    this.#cancelTimer?.();
    this.#setTimer(delayMs);
  }

  /** Settles as the promise does, or rejects when waiting ends. */
  race<Value>(promise: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.onEnd(() => reject(new Error(this.#failure?.message)));
      // The losing promise may still reject; this handles it.
      promise.then(resolve, reject);
    });
  }

  /** Calls back when waiting ends, at once where it has; one callback at a time. */
  onEnd(leave: () => void): void {
    this.#giveUp = leave;
    if (this.#failure !== undefined) leave();
  }

  /** Calls back after a time, also when the watch is closed; returns a function that stops it. */
  later(delayMs: number, callback: () => void): () => void {
    return this.#clock.setTimer(delayMs, callback);
  }

  /** Notes that the answer was read to its end, so that closing need not end its connection. */
  whole(): void {
    this.#isWhole = true;
  }

  close(): void {
    this.#cancelTimer?.();
    this.#caller.removeEventListener("abort", this.#onAbort);
    // The consumer may have stopped reading in the middle of the reply.
    if (!this.#isWhole) this.#controller.abort(left);
  }

  #setTimer(delayMs: number): void {
    this.#timerAt = this.#deadlineAt;
    this.#cancelTimer = this.#clock.setTimer(delayMs, () => {
      const restMs = this.#deadlineAt - this.#clock.monotonic();
      if (restMs <= 0) this.#end(networkFailure(this.#silence));
      else this.#setTimer(restMs);
    });
  }

  #end(why: ModelFailure): void {
    if (this.#failure !== undefined) return;
    this.#failure = why;
    this.#giveUp?.();
    this.#controller.abort(new Error(why.message));
  }
}
