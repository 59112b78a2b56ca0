const firstDelayMs = 250;
const delayMsMax = 2000;
/** Failures in a row after which the client counts as offline. */
export const offlineAfterAttempts = 3;

/**
 * Returns the delay before try number `attempt` (1 is the first after a lost connection): 0.25, 0.5, 1, then 2 seconds,
 * each up to 20% shorter or longer so that many pages do not reconnect in the same instant. A try costs a server that is away
 * nothing, so a page is back within 3 seconds of the server's return, however long it was away. `random` is from 0 up to 1.
 */
export function reconnectDelayMs(attempt: number, random: number): number {
  const delay = Math.min(firstDelayMs * 2 ** (attempt - 1), delayMsMax);
  return Math.round(delay * (0.8 + 0.4 * random));
}
