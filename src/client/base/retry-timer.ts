import type { ClientPlatform } from "./types.ts";

const firstDelayMs = 1000;
const delayMsMax = 5000;

/** Retries one thing with a growing delay: 1, 2, 4, then 5 seconds. */
export interface RetryTimer {
  /** Calls `retry` after the next delay. Does nothing while an earlier call still waits. */
  schedule(retry: () => void): void;
  /** Makes the next delay the first again: the last try has worked. */
  reset(): void;
  /** Cancels the retry that waits, and resets the delay. */
  cancel(): void;
}

/** Creates a timer that waits for nothing yet. */
export function createRetryTimer(platform: Pick<ClientPlatform, "setTimer">): RetryTimer {
  let cancelTimer: (() => void) | null = null;
  let delayMs = firstDelayMs;
  return {
    schedule(retry) {
      if (cancelTimer !== null) return;
      cancelTimer = platform.setTimer(delayMs, () => {
        cancelTimer = null;
        retry();
      });
      delayMs = Math.min(delayMs * 2, delayMsMax);
    },
    reset() {
      delayMs = firstDelayMs;
    },
    cancel() {
      cancelTimer?.();
      cancelTimer = null;
      delayMs = firstDelayMs;
    },
  };
}
