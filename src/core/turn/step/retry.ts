import type { ModelFailure } from "../../model/failure.ts";

/** How many attempts one request has in all. */
export const attemptsMax = 3;

/** The longest wait before a retry, in milliseconds, even when a server asks for more. */
const retryAfterMsMax = 60_000;

/** Returns the wait in milliseconds before the next attempt: 1 s, then 2 s; a server's request overrides it. */
export function retryDelayMs(failedAttempt: number, failure: ModelFailure): number {
  if (failure.retryAfterMs !== undefined) return Math.min(Math.max(0, failure.retryAfterMs), retryAfterMsMax);
  return failedAttempt * 1_000;
}

/** Returns how much of a wait until `retryAt` is left; bounded in case the wall clock was set back in between. */
export function retryDelayLeftMs(retryAt: number, now: number): number {
  return Math.min(Math.max(0, retryAt - now), retryAfterMsMax);
}
