/**
 * Decides how long a commit waits for others to share its transaction. When many commits come from different callers, a
 * wait of some milliseconds saves most of their processor time. Commits do not wait while few come, or when no other commit
 * joined the last wait, as when a few callers make one commit after the other. Times are monotonic milliseconds passed with
 * each call.
 */
export class Gathering {
  /** The times of the last `many` commits, the oldest at `#next`. */
  readonly #cameAt: number[] = Array.from({ length: many }, () => Number.NEGATIVE_INFINITY);
  #next = 0;
  #lastSentAt = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;

  came(nowMs: number): void {
    this.#cameAt[this.#next] = nowMs;
    this.#next = (this.#next + 1) % many;
  }

  /** Returns the milliseconds that the queued commits should wait for more. */
  waitMs(nowMs: number): number {
    const oldest = this.#cameAt[this.#next] ?? Number.NEGATIVE_INFINITY;
    if (nowMs < this.#notBefore || nowMs - oldest > withinMs) return 0;
    return Math.max(0, this.#lastSentAt + gatheringMs - nowMs);
  }

  /** Records that a batch was sent after `waitedMs`, during which `joined` commits came. */
  sent(nowMs: number, { waitedMs, joined }: { readonly waitedMs: number; readonly joined: number }): void {
    this.#lastSentAt = nowMs;
    if (waitedMs >= gatheringMs / 2 && joined < joinedMin) this.#notBefore = nowMs + restMs;
  }
}

/** This many commits within this time count as many. */
const many = 8;
const withinMs = 20;
/** Milliseconds from one transaction to the next. */
const gatheringMs = 8;
/** A wait that fewer commits join was in vain, and waiting pauses for a while. */
const joinedMin = 2;
const restMs = 200;
