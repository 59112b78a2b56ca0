import { setTimeout as delay } from "node:timers/promises";
import { usualBound, type Attack, type Target } from "./attack.ts";

/** How long the process is stopped each time, and how long it runs between. Milliseconds. */
const stoppedMs = 1_500;
const runsMs = 500;

/** Stops the server's process and lets it go on, as a laptop that sleeps does. What was typed meanwhile arrives. */
export const stoppedProcess: Attack = {
  says: `the server's process is stopped for ${stoppedMs} ms and goes on, again and again`,
  async run({ pid, seconds }: Target) {
    const end = performance.now() + seconds * 1000;
    do {
      process.kill(pid, "SIGSTOP");
      await delay(stoppedMs);
      process.kill(pid, "SIGCONT");
      await delay(runsMs);
    } while (performance.now() < end);
    return [];
  },
  // A keystroke waits for the whole stop, and for those that wait with it.
  bound: { ...usualBound, p99Ms: stoppedMs + 500, slowestMs: stoppedMs + 750 },
};
