import type { Clock } from "../core/port/platform.ts";

/** A clock whose time passes only through `advance`. */
export interface SimulatedClock extends Clock {
  /** Advances the time; fires each timer at its time and settles its effects before the next. */
  advance(ms: number): Promise<void>;
  /** Resolves when everything that needs no time to pass has happened. */
  settle(): Promise<void>;
  /** The number of timers that have not fired. */
  readonly timers: number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * Creates a clock that moves only through `advance`. It starts at `startMs` (UTC milliseconds; the beginning of 2030 by
 * default), its monotonic time at 0.
 */
export function simulatedClock(startMs = Date.UTC(2030, 0, 1)): SimulatedClock {
  const timers = new Set<Timer>();
  let elapsed = 0;
  let order = 0;

  const due = (until: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) {
      const earlier = next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order);
      if (timer.at <= until && earlier) next = timer;
    }
    return next;
  };
  // When the event loop comes round, every promise that needs no time has resolved.
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    setTimer(delayMs, callback) {
      const timer: Timer = { at: elapsed + Math.max(0, delayMs), order, callback };
      order += 1;
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settle();
      for (let timer = due(until); timer !== undefined; timer = due(until)) {
        timers.delete(timer);
        elapsed = timer.at;
        timer.callback();
        await settle();
      }
      elapsed = until;
    },
    settle,
    get timers() {
      return timers.size;
    },
  };
}
