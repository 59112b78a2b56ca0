import type { Clock } from "../../core/port/platform.ts";

/**
 * Creates the delay between the words of the built-in scribe: as long as it asks for (`human`), or none (`instant`). A delay
 * ends early when its signal aborts.
 */
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
