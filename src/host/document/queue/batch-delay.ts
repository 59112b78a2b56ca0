/**
 * Adaptive delay: broadcasting one keystroke to a crowd costs as much as broadcasting five. While many type before many
 * watchers, the first mutation waits a moment for more; a mutation of a person who types alone, with few or before few never
 * waits. Times are monotonic milliseconds that come in with each call.
 */
export class BatchDelay {
  /** An exponentially decayed count of arrivals: about as many as came in the last `windowMs`. */
  #recent = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Counts one mutation that arrived. */
  arrived(nowMs: number): void {
    this.#recent = this.#recentAt(nowMs) + 1;
    this.#lastAt = nowMs;
  }

  /** Returns how long the first mutation waits, and the batch size, itself counted, that ends the wait. */
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
const batchMin = 2;
/** Fewer watchers are told at once. */
const audienceMin = 12;
/** The delay grows by a millisecond with every so many watchers, up to a maximum. */
const watchersPerDelayMs = 3;
const delayMsMax = 50;
