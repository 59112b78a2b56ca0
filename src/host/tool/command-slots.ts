import type { RunId } from "../../core/base/ids.ts";

/** Maximum number of concurrent commands of one run. */
export const commandsAtOnce = 8;

interface RunSlots {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Limits the concurrent commands of each run; waiting commands start in order of arrival. */
export class CommandSlots {
  readonly #byRun = new Map<RunId, RunSlots>();

  /** Resolves to true when a slot is free; the caller must give it back. Resolves to false when aborted first. */
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
      // A command that got its slot at the same moment keeps it.
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
