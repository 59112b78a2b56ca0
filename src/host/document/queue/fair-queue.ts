import type { RequestId } from "../../../core/base/ids.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import { hubLimits } from "../record/limits.ts";
import { needsOwnCommit, type QueuedMutation } from "./mutation.ts";

export type Job =
  | { readonly type: "mutate"; readonly queued: QueuedMutation }
  | { readonly type: "alone"; readonly run: () => Promise<void> };

/**
 * The jobs that wait in one document, first in, first out. An author who has kept the document busy lets others go first, so
 * that nobody waits for more than one of many expensive edits. Edits of one author keep their order.
 */
export class FairQueue {
  readonly #jobs: Job[] = [];
  /** Milliseconds spent on each agent's mutations since the queue was last empty. */
  readonly #spentMsByReplica = new Map<ReplicaId, number>();

  get length(): number {
    return this.#jobs.length;
  }

  add(job: Job): void {
    this.#jobs.push(job);
  }

  /** Takes the next job. When none is left, the time spent is reset for everybody. */
  next(): Job | undefined {
    let next = 0;
    let leastMs = this.#spentMs(this.#jobs[0]);
    if (leastMs > hubLimits.sliceMs) {
      for (const [index, job] of this.#jobs.entries()) {
        // A job of type `alone` keeps its place, and no later job overtakes it.
        if (job.type === "alone") break;
        const spentMs = this.#spentMs(job);
        if (spentMs >= leastMs) continue;
        next = index;
        leastMs = spentMs;
      }
    }
    if (this.#jobs.length === 0) this.#spentMsByReplica.clear();
    return next === 0 ? this.#jobs.shift() : this.#jobs.splice(next, 1)[0];
  }

  /**
   * Takes the waiting mutations that can share the commit of this one, and returns them all. They overtake those of other
   * authors that need a commit of their own: what people type waits for at most one of many agents' commits.
   */
  takeWith(first: QueuedMutation): readonly QueuedMutation[] {
    const taken = [first];
    if (needsOwnCommit(first.mutation)) return taken;
    const requests = new Set<RequestId | undefined>([first.mutation.requestId]);
    const overtaken: Job[] = [];
    const authorsOvertaken = new Set<ReplicaId>();
    let seen = 0;
    for (const job of this.#jobs) {
      if (taken.length === hubLimits.batchMutationsMax || job.type === "alone") break;
      const { mutation } = job.queued;
      const { requestId } = mutation;
      if (authorsOvertaken.has(mutation.author.replica) || needsOwnCommit(mutation)) {
        overtaken.push(job);
        authorsOvertaken.add(mutation.author.replica);
      } else {
        if (requestId !== undefined && requests.has(requestId)) break;
        requests.add(requestId);
        taken.push(job.queued);
      }
      seen += 1;
    }
    this.#jobs.splice(0, seen, ...overtaken);
    return taken;
  }

  /** Returns mutations that were taken to the front of the queue. */
  putBack(mutations: readonly QueuedMutation[]): void {
    this.#jobs.unshift(...mutations.map((queued) => ({ type: "mutate", queued }) as const));
  }

  /** Attributes the processing time to the mutation's author. */
  spent({ mutation }: QueuedMutation, ms: number): void {
    const { replica } = mutation.author;
    this.#spentMsByReplica.set(replica, (this.#spentMsByReplica.get(replica) ?? 0) + ms);
  }

  #spentMs(job: Job | undefined): number {
    return job?.type === "mutate" ? (this.#spentMsByReplica.get(job.queued.mutation.author.replica) ?? 0) : 0;
  }
}
