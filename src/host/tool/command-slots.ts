import type { RunId } from "../../core/base/ids.ts";

/** How many commands of one run go side by side. */
export const commandsAtOnce = 8;

interface AtWork {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Lets so many commands of each run in at a time, in the order in which they came. */
export class CommandSlots {
  readonly #byRun = new Map<RunId, AtWork>();

  /** Resolves when it is this one's turn; whoever gets true gives the slot back. false: the signal came first. */
  async take(runId: RunId, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const own = this.#byRun.get(runId) ?? { running: 0, waiting: new Set() };
    this.#byRun.set(runId, own);
    if (own.running < commandsAtOnce) {
      own.running += 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const enter = (): void => resolve(true);
    const giveUp = (): void => {
      // Who was let in just now has its slot all the same.
      if (own.waiting.delete(enter)) resolve(false);
    };
    own.waiting.add(enter);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  giveBack(runId: RunId): void {
    const own = this.#byRun.get(runId);
    if (own === undefined) return;
    const [next] = own.waiting;
    if (next !== undefined) {
      own.waiting.delete(next);
      return next();
    }
    own.running -= 1;
    if (own.running === 0) this.#byRun.delete(runId);
  }
}
