/** Signals that ask a server to stop. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * A terminal and the launcher may both pass on one key press: signals this soon after the first count as the same request.
 */
const sameWishMs = 500;

/** Resolves at the first signal. A later one ends the process at once, with exit code 130. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | null = null;
    for (const signal of signals) {
      process.on(signal, () => {
        const now = performance.now();
        if (firstAt === null) {
          firstAt = now;
          resolve(signal);
        } else if (now - firstAt > sameWishMs) {
          process.exit(130);
        }
      });
    }
  });
}
