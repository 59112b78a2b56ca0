/**
 * When commits come thick and fast, each from somebody else, a wait of some milliseconds makes one transaction of many and
 * saves most of their processor time. Decides how long: nobody waits while few come, nor when nobody joins whoever waited,
 * as when a few make one commit after the other. Times are monotonic milliseconds that come in with each call.
 */
export class Gathering {
  /** When the last `many` commits came, the oldest at `#next`. */
  readonly #cameAt: number[] = Array.from({ length: many }, () => Number.NEGATIVE_INFINITY);
  #next = 0;
  #lastSentAt = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;

  came(nowMs: number): void {
    this.#cameAt[this.#next] = nowMs;
    this.#next = (this.#next + 1) % many;
  }

  /** How long what has come is to wait for more. */
  waitMs(nowMs: number): number {
    const oldest = this.#cameAt[this.#next] ?? Number.NEGATIVE_INFINITY;
    if (nowMs < this.#notBefore || nowMs - oldest > withinMs) return 0;
    return Math.max(0, this.#lastSentAt + gatheringMs - nowMs);
  }

  /** What came is sent after `waitedMs`, in which `joined` came. */
  sent(nowMs: number, { waitedMs, joined }: { readonly waitedMs: number; readonly joined: number }): void {
    this.#lastSentAt = nowMs;
    if (waitedMs >= gatheringMs / 2 && joined < joinedMin) this.#notBefore = nowMs + restMs;
  }
}

/** So many commits within so long a time are many. */
const many = 8;
const withinMs = 20;
/** Time from one transaction's sending to the next one's. */
const gatheringMs = 8;
/** A long wait that fewer join was for nothing, and is not tried again for a while. */
const joinedMin = 2;
const restMs = 200;
