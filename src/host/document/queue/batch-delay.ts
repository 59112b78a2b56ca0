/**
 * Adaptive delay: broadcasting one keystroke to many watchers costs as much as broadcasting five. While many people type and
 * many watch, the first mutation waits a moment for more; a mutation never waits while few people type or few watch. The
 * caller passes the time, in monotonic milliseconds.
 */
export class BatchDelay {
  /** An exponentially decayed count of arrivals: about the number in the last `windowMs`. */
  #recent = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Counts one mutation that arrived. */
  arrived(nowMs: number): void {
    this.#recent = this.#recentAt(nowMs) + 1;
    this.#lastAt = nowMs;
  }

  /** Returns how long the first mutation waits, and the batch size, including itself, that ends the wait. */
  next(audience: number, nowMs: number): { readonly waitMs: number; readonly enough: number } {
    const waitMs = Math.min(delayMsMax, audience / watchersPerDelayMs);
    const expected = (this.#recentAt(nowMs) * waitMs) / windowMs;
    if (audience < audienceMin || expected < batchMin) return { waitMs: 0, enough: 1 };
    return { waitMs, enough: Math.round(expected) };
  }

  #recentAt(nowMs: number): number {
    return this.#recent * Math.exp((this.#lastAt - nowMs) / windowMs);
  }
}

const windowMs = 100;
/** A smaller expected batch is not worth a wait. */
const batchMin = 1.5;
/** Blocks with fewer watchers broadcast without a delay. */
const audienceMin = 12;
/** The delay grows by one millisecond for this many watchers, up to `delayMsMax`. */
const watchersPerDelayMs = 3;
const delayMsMax = 50;
