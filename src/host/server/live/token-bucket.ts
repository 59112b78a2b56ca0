/** How much may pass at once and per second, in the same unit. */
export interface BucketRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Limits a rate. Each call passes the time, in monotonic milliseconds. */
export class TokenBucket {
  readonly #rate: BucketRate;
  #level: number;
  #at: number;

  constructor(rate: BucketRate, nowMs: number) {
    this.#rate = rate;
    this.#level = rate.burst;
    this.#at = nowMs;
  }

  /** Takes `amount` and returns the milliseconds until the level is no longer negative; 0 for none. */
  take(amount: number, nowMs: number): number {
    const { perSecond, burst } = this.#rate;
    this.#level = Math.min(burst, this.#level + ((nowMs - this.#at) / 1000) * perSecond) - amount;
    this.#at = nowMs;
    return this.#level >= 0 ? 0 : Math.ceil((-this.#level / perSecond) * 1000);
  }
}
