import type { Clock } from "../core/port/platform.ts";

/** Waits for the built-in author between its words, or not at all. Ends early when the signal aborts. */
export function paceOf(
  pace: "human" | "instant",
  clock: Clock,
): (delayMs: number, signal: AbortSignal) => Promise<void> {
  if (pace === "instant") return () => Promise.resolve();
  return (delayMs, signal) => {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const cancel = clock.setTimer(delayMs, wake);
      signal.addEventListener("abort", wake);
    });
  };
}
