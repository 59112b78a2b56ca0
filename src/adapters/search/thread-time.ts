import type { Worker } from "node:worker_threads";
import type { Clock } from "../../core/port/platform.ts";

/** How many times its limit a thread may wait for a processor. */
const patience = 10;
/** How soon a thread is asked again that has almost used its time. Milliseconds. */
const soonestMs = 5;
/** How long a thread may take to say what it has used: its expression may leave it no moment. Milliseconds. */
const answerMs = 100;

/**
 * Calls back once a thread, which has used `usedMs` of a processor since it started, has computed for `limitMs` more, or has taken
 * ten times as long by the clock: on a busy machine a harmless expression may get no processor for a while. The returned
 * function cancels.
 */
export function afterComputing(
  clock: Clock,
  { worker, usedMs, limitMs }: { readonly worker: Worker; readonly usedMs: number; readonly limitMs: number },
  callback: () => void,
): () => void {
  const endsAt = clock.monotonic() + limitMs * patience;
  let isOver = false;
  let cancelTimer = (): void => {};
  const wait = (ms: number): void => {
    cancelTimer = clock.setTimer(ms, () => void look());
  };
  const look = async (): Promise<void> => {
    const used = await Promise.race([usedBy(worker), later(clock, answerMs)]);
    if (isOver) return;
    const leftMs = Math.min(limitMs - Math.max(0, used - usedMs), endsAt - clock.monotonic());
    if (leftMs > 0) return wait(Math.max(leftMs, soonestMs));
    isOver = true;
    callback();
  };
  wait(limitMs);
  return () => {
    isOver = true;
    cancelTimer();
  };
}

/** Resolves to 0: nothing is known of what was used. */
function later(clock: Clock, ms: number): Promise<number> {
  return new Promise((resolve) => {
    clock.setTimer(ms, () => resolve(0));
  });
}

async function usedBy(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000;
  } catch {
    // The thread has ended, which its own event says.
    return 0;
  }
}
