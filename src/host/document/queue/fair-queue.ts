import type { AgentId } from "../../../core/text/types.ts";
import { hubLimits } from "../record/limits.ts";
import type { QueuedMutation } from "./mutation.ts";

export type Job =
  | { readonly type: "mutate"; readonly queued: QueuedMutation }
  | { readonly type: "alone"; readonly run: () => Promise<void> };

/**
 * What waits in one document, first come, first served. Whoever has kept the document busy lets others go first, so that
 * nobody waits for more than one edit of somebody who sends many expensive ones. One author's edits keep their order.
 */
export class FairQueue {
  readonly #jobs: Job[] = [];
  /** How long the mutations of each took since the queue was last empty. */
  readonly #spentMsByAgent = new Map<AgentId, number>();

  get length(): number {
    return this.#jobs.length;
  }

  add(job: Job): void {
    this.#jobs.push(job);
  }

  /** Takes the next; whoever asks when nothing is left begins anew with everybody. */
  next(): Job | undefined {
    let next = 0;
    let leastMs = this.#spentMs(this.#jobs[0]);
    if (leastMs > hubLimits.turnMs) {
      for (const [index, job] of this.#jobs.entries()) {
        // What is to be alone keeps its place, and what came after it stays there.
        if (job.type === "alone") break;
        const spentMs = this.#spentMs(job);
        if (spentMs >= leastMs) continue;
        next = index;
        leastMs = spentMs;
      }
    }
    if (this.#jobs.length === 0) this.#spentMsByAgent.clear();
    return next === 0 ? this.#jobs.shift() : this.#jobs.splice(next, 1)[0];
  }

  /** Takes the mutation that waits first, if `fits` says so. */
  takeIf(fits: (queued: QueuedMutation) => boolean): QueuedMutation | undefined {
    const [first] = this.#jobs;
    if (first?.type !== "mutate" || !fits(first.queued)) return undefined;
    this.#jobs.shift();
    return first.queued;
  }

  /** Puts mutations that were taken back in front of all. */
  putBack(mutations: readonly QueuedMutation[]): void {
    this.#jobs.unshift(...mutations.map((queued) => ({ type: "mutate", queued }) as const));
  }

  /** Counts time as a mutation's author's. */
  spent({ mutation }: QueuedMutation, ms: number): void {
    const { agent } = mutation.author;
    this.#spentMsByAgent.set(agent, (this.#spentMsByAgent.get(agent) ?? 0) + ms);
  }

  #spentMs(job: Job | undefined): number {
    return job?.type === "mutate" ? (this.#spentMsByAgent.get(job.queued.mutation.author.agent) ?? 0) : 0;
  }
}
