import type { Clock } from "../../core/port/platform.ts";

/** Work that took less than this by the clock is counted by the clock, which is quicker to read. Milliseconds. */
const shortMs = 1;

/**
 * Measures how long pieces of work keep this thread busy. On a loaded machine a thread pauses for tens of milliseconds
 * at a time, and a client that is charged for the pauses waits for work that nobody did.
 */
export class ThreadTime {
  readonly #clock: Clock;
  /** The thread's time at the last reading, and what was counted by the clock since. */
  #readAt = 0;
  #shortMs = 0;
  #beganAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins to measure. */
  begin(): void {
    this.#readAt = threadMs(this.#clock);
    this.#shortMs = 0;
    this.next();
  }

  /** The next piece of work begins. */
  next(): void {
    this.#beganAt = this.#clock.monotonic();
  }

  /** Returns the milliseconds since the piece of work began, and when that was, in monotonic milliseconds. */
  lap(): { readonly ms: number; readonly at: number } {
    const at = this.#clock.monotonic();
    const ms = at - this.#beganAt;
    if (ms < shortMs) {
      this.#shortMs += ms;
      return { ms, at };
    }
    const readAt = threadMs(this.#clock);
    const busyMs = Math.max(0, readAt - this.#readAt - this.#shortMs);
    this.#readAt = readAt;
    this.#shortMs = 0;
    return { ms: Math.min(ms, busyMs), at };
  }
}

function threadMs(clock: Clock): number {
  return clock.threadMs?.() ?? clock.monotonic();
}
