import type { ClientPlatform } from "./types.ts";

const firstDelayMs = 1000;
const delayMsMax = 5000;

/** Does one thing again after a while: 1, 2, 4, then 5 seconds after each time that it was asked for. */
export interface RetryTimer {
  /** Asked again while it waits, it waits on. */
  later(again: () => void): void;
  /** What was tried has worked: the next wait is the first again. */
  worked(): void;
  cancel(): void;
}

export function createRetryTimer(platform: Pick<ClientPlatform, "setTimer">): RetryTimer {
  let cancelTimer: (() => void) | null = null;
  let delayMs = firstDelayMs;
  return {
    later(again) {
      if (cancelTimer !== null) return;
      cancelTimer = platform.setTimer(delayMs, () => {
        cancelTimer = null;
        again();
      });
      delayMs = Math.min(delayMs * 2, delayMsMax);
    },
    worked() {
      delayMs = firstDelayMs;
    },
    cancel() {
      cancelTimer?.();
      cancelTimer = null;
      delayMs = firstDelayMs;
    },
  };
}
