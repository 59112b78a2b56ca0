import { assert } from "../../src/core/base/assert.ts";
import type { BlockId, LeaseId, RunId } from "../../src/core/base/ids.ts";
import type { StoreWrite } from "../../src/core/port/store.ts";

interface SeenLease {
  readonly epoch: number;
  readonly held: { readonly leaseId: LeaseId; readonly holder: RunId; readonly expiresAtMonotonicMs: number } | null;
}

/** Longer than any lease lasts without a renewal. Milliseconds. */
const ttlMsMax = 60 * 60 * 1000;

/**
 * Watches every commit of a workspace, and keeps its own account of the leases: by rules of its own, so that a defect of the
 * keeper and of the store cannot hide behind each other.
 */
export class Witness {
  /** The canvas that agents write only under a lease; null before it is known. */
  canvasId: BlockId | null = null;
  readonly #leases = new Map<BlockId, SeenLease>();
  /** The highest epoch that a person was told when they took control. */
  #toldEpoch = 0;
  /** Leases of servers that have died. */
  readonly #former = new Set<LeaseId>();
  readonly problems: string[] = [];

  /** Takes the writes of a commit that was made, in order. */
  saw(writes: readonly StoreWrite[]): void {
    const guarded = new Set(writes.flatMap((write) => (write.type === "guard-lease" ? [write.canvasId] : [])));
    for (const write of writes) {
      if (write.type === "put-change") {
        const { change } = write;
        const isAgents =
          change.blockId === this.canvasId && change.actor.type === "model" && change.body.type === "text";
        if (isAgents && !guarded.has(change.blockId)) this.#note(`an agent wrote the canvas without a lease`);
      } else this.#lease(write);
    }
  }

  /** A person was told that they have control, under this epoch. */
  told(epoch: number): void {
    this.#toldEpoch = Math.max(this.#toldEpoch, epoch);
  }

  /** A server has died. */
  ended(): void {
    for (const { held } of this.#leases.values()) if (held !== null) this.#former.add(held.leaseId);
  }

  /** Throws where a server that has just started still has a lease of the one before. */
  started(): void {
    for (const [canvasId, { held }] of this.#leases) {
      const isOver = held === null || !this.#former.has(held.leaseId);
      assert(isOver, `no lease on ${canvasId} outlives the server that gave it`);
    }
  }

  /** Throws where somebody holds a lease though nobody works. */
  atRest(): void {
    for (const [canvasId, { held }] of this.#leases)
      assert(held === null, `nobody holds a lease on ${canvasId} at rest`);
    assert(this.problems.length === 0, this.problems.join("; "));
  }

  #lease(write: StoreWrite): void {
    if (write.type === "guard-lease") this.#guarded(write);
    else if (write.type === "acquire-lease" || write.type === "renew-lease") this.#claimed(write);
    else if (write.type === "release-lease") {
      const { epoch, held } = this.#of(write.canvasId);
      if (held?.leaseId === write.leaseId) this.#leases.set(write.canvasId, { epoch, held: null });
    } else if (write.type === "preempt-lease") {
      const { epoch } = this.#of(write.canvasId);
      this.#leases.set(write.canvasId, { epoch: Math.max(epoch, write.epoch), held: null });
    }
  }

  #guarded(write: Extract<StoreWrite, { type: "guard-lease" }>): void {
    const { epoch, held } = this.#of(write.canvasId);
    const holds = held !== null && held.leaseId === write.leaseId && held.holder === write.holder;
    const isCurrent = holds && epoch === write.epoch && write.monotonicMs < held.expiresAtMonotonicMs;
    if (!isCurrent) this.#note(`something was written under lease ${write.leaseId}, which does not hold`);
  }

  #claimed({ type, lease, monotonicMs }: Extract<StoreWrite, { type: "acquire-lease" | "renew-lease" }>): void {
    const { epoch, held } = this.#of(lease.canvasId);
    const isSame = held !== null && held.leaseId === lease.held?.leaseId && epoch === lease.epoch;
    const isFree = held === null || held.expiresAtMonotonicMs <= monotonicMs;
    const isNew = type === "acquire-lease" && isFree && lease.epoch > Math.max(epoch, this.#toldEpoch);
    if (!isSame && !isNew)
      this.#note(`${type} at epoch ${lease.epoch}, though epoch ${epoch} was there and ${this.#toldEpoch} told`);
    const lasts = (lease.held?.expiresAtMonotonicMs ?? 0) - monotonicMs;
    if (lasts <= 0 || lasts > ttlMsMax) this.#note(`a lease lasts ${lasts} ms`);
    this.#leases.set(lease.canvasId, { epoch: lease.epoch, held: lease.held });
  }

  #of(canvasId: BlockId): SeenLease {
    return this.#leases.get(canvasId) ?? { epoch: 0, held: null };
  }

  #note(problem: string): void {
    this.problems.push(problem);
  }
}
