import type { Clock } from "../../core/port/platform.ts";

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. Wall and monotonic time run together, from different origins. */
export class TestClock implements Clock {
  #monotonic = 0;
  #made = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return 1_700_000_000_000 + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#monotonic + delayMs, order: this.#made, callback };
    this.#made += 1;
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Moves on, stopping at each timer that is due and letting what it starts come to rest. */
  async advance(ms: number): Promise<void> {
    await atRest();
    const end = this.#monotonic + ms;
    for (;;) {
      const due = [...this.#timers]
        .filter((timer) => timer.at <= end)
        .toSorted((a, b) => a.at - b.at || a.order - b.order);
      const [next] = due;
      if (next === undefined) break;
      this.#monotonic = Math.max(this.#monotonic, next.at);
      this.#timers.delete(next);
      next.callback();
      await atRest();
    }
    this.#monotonic = end;
    await atRest();
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function atRest(): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}
