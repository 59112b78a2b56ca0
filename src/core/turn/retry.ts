import type { ModelFailure } from "../model/failure.ts";

/** How often one request is tried in all. */
export const attemptsMax = 3;

/** The longest wait for a retry, whatever a server wishes. */
const retryAfterMsMax = 60_000;

/** How long to wait before the attempt that follows the failed one: 1 s, then 2 s; a server's wish wins. Milliseconds. */
export function retryDelayMs(failedAttempt: number, failure: ModelFailure): number {
  if (failure.retryAfterMs !== undefined) return Math.min(Math.max(0, failure.retryAfterMs), retryAfterMsMax);
  return failedAttempt * 1_000;
}

/** How much of a wait until `retryAt` is left. A wall clock that was set back in between makes it no longer than any. */
export function retryDelayLeftMs(retryAt: number, now: number): number {
  return Math.min(Math.max(0, retryAt - now), retryAfterMsMax);
}
