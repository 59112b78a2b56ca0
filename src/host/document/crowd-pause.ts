/**
 * To tell a crowd of one letter costs as much as of five. While many type before many watchers, whoever comes first
 * waits a moment for company; who types alone, with few or to few never waits. Times are monotonic milliseconds that come in with
 * each call.
 */
export class CrowdPause {
  /** How many came lately, the older ones counted for less: about as many as in `lately`. */
  #recent = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  came(nowMs: number): void {
    this.#recent = this.#recentAt(nowMs) + 1;
    this.#lastAt = nowMs;
  }

  /** How long the first is to wait, and for how many at most, itself counted. */
  of(audience: number, nowMs: number): { readonly waitMs: number; readonly enough: number } {
    const waitMs = Math.min(pauseMsMax, audience / watchersPerPauseMs);
    const expected = (this.#recentAt(nowMs) * waitMs) / latelyMs;
    if (audience < crowdMin || expected < companyMin) return { waitMs: 0, enough: 1 };
    return { waitMs, enough: Math.round(expected) };
  }

  #recentAt(nowMs: number): number {
    return this.#recent * Math.exp((this.#lastAt - nowMs) / latelyMs);
  }
}

const latelyMs = 100;
/** For fewer than so many it is not worth anybody's wait. */
const companyMin = 2;
/** Fewer watchers are told at once. */
const crowdMin = 12;
/** Watchers for each of whom a millisecond is waited, and the longest wait. */
const watchersPerPauseMs = 3;
const pauseMsMax = 50;
