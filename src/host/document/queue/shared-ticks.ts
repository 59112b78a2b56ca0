import type { Clock } from "../../../core/port/platform.ts";

/**
 * One timer for all who have something due within `everyMs`: their work happens at the same moments, so that what many agents
 * stream at once is stored by one transaction and sent in one frame.
 */
export class SharedTicks {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #due = new Set<{ readonly run: () => void }>();
  #cancelTimer: (() => void) | null = null;
  /** The number of the last tick, in units of `everyMs`. */
  #last = 0;

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** Calls `run` once at the next tick; the returned function cancels. */
  next(run: () => void): () => void {
    const entry = { run };
    this.#due.add(entry);
    this.#cancelTimer ??= this.#wait();
    return () => {
      if (!this.#due.delete(entry) || this.#due.size > 0) return;
      this.#cancelTimer?.();
      this.#cancelTimer = null;
    };
  }

  #wait(): () => void {
    const now = this.#clock.monotonic();
    // A timer that fired a little early has had its tick.
    const tick = Math.max(Math.floor(now / this.#everyMs), this.#last) + 1;
    return this.#clock.setTimer(tick * this.#everyMs - now, () => {
      this.#last = tick;
      this.#cancelTimer = null;
      const due = [...this.#due];
      this.#due.clear();
      for (const { run } of due) run();
    });
  }
}
