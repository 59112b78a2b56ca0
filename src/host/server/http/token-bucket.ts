/** How much may pass at once and per second, in the same unit. */
export interface BucketRate {
  readonly perSecond: number;
  readonly burst: number;
  /** How far below zero the level may go; without end by default. */
  readonly debtMax?: number;
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
    const { perSecond, burst, debtMax = Infinity } = this.#rate;
    const level = Math.min(burst, this.#level + ((nowMs - this.#at) / 1000) * perSecond) - amount;
    this.#level = Math.max(level, -debtMax);
    this.#at = nowMs;
    return this.#level >= 0 ? 0 : Math.ceil((-this.#level / perSecond) * 1000);
  }

  /** Whether the bucket is as full as one that nobody took from. */
  isFull(nowMs: number): boolean {
    const { perSecond, burst } = this.#rate;
    return this.#level + ((nowMs - this.#at) / 1000) * perSecond >= burst;
  }
}
