/** Signals that ask a server to stop. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A terminal and the launcher may both hand on one key press: what comes this soon after the first is the same wish. */
const sameWishMs = 500;

/** Resolves at the first signal. Whoever asks again later wants out at once: the process ends with 130. */
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
