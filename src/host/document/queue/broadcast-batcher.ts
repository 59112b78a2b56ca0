import type { Clock } from "../../../core/port/platform.ts";
import { BatchDelay } from "./batch-delay.ts";

/** Holds the first mutation of a queue back until enough others arrived to share its commit and its broadcast. */
export class BroadcastBatcher {
  readonly #clock: Clock;
  readonly #delay = new BatchDelay();
  /** The batch size that ends the wait, the first mutation counted, and what ends it. */
  #waiting: { readonly enough: number; readonly end: () => void } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** One more mutation arrived; `count` are queued now. */
  arrived(count: number): void {
    this.#delay.arrived(this.#clock.monotonic());
    if (this.#waiting !== null && count >= this.#waiting.enough) this.#waiting.end();
  }

  /** Ends the wait: other work has arrived for the document. */
  cancel(): void {
    this.#waiting?.end();
  }

  /** Resolves when the batch is worth a broadcast to so many watchers, of now `count` mutations; null when there is no wait. */
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
