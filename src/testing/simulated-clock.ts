import type { Clock } from "../core/port/platform.ts";

/** A clock that stands still until it is told to go on. */
export interface SimulatedClock extends Clock {
  /** Moves time on, firing each timer at its instant and letting what it causes happen before the next. */
  advance(ms: number): Promise<void>;
  /** Lets everything happen that needs no time to pass. */
  settle(): Promise<void>;
  /** Timers that have not fired. */
  readonly timers: number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * Makes a clock that moves only when told to. It starts at `startMs` (UTC milliseconds; the beginning of 2030 by
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
  // Every promise that can be resolved without time has been by the time the event loop comes round.
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
