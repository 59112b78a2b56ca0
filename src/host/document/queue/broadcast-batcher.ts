import type { Clock } from "../../../core/port/platform.ts";
import { BatchDelay } from "./batch-delay.ts";

/** Delays the first mutation of a queue until enough others have arrived to share its commit and its broadcast. */
export class BroadcastBatcher {
  readonly #clock: Clock;
  readonly #delay = new BatchDelay();
  /** The batch size that ends the wait, including the first mutation, and the function that ends it. */
  #waiting: { readonly enough: number; readonly end: () => void } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one more mutation; `count` are queued now. */
  arrived(count: number): void {
    this.#delay.arrived(this.#clock.monotonic());
    if (this.#waiting !== null && count >= this.#waiting.enough) this.#waiting.end();
  }

  /** Ends the wait: other work has arrived for the document. */
  cancel(): void {
    this.#waiting?.end();
  }

  /**
   * Resolves when a batch, now of `count` mutations, is worth a broadcast to `audience` watchers; null when there is no
   * wait.
   */
  wait(audience: number, count: number): Promise<void> | null {
    const { waitMs, enough } = this.#delay.next(audience, this.#clock.monotonic());
    if (waitMs === 0 || count >= enough) return null;
    return new Promise<void>((resolve) => {
      const end = (): void => {
        cancelTimer();
        this.#waiting = null;
        resolve();
      };
      const cancelTimer = this.#clock.setTimer(waitMs, end);
      this.#waiting = { enough, end };
    });
  }
}
