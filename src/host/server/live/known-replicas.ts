import type { ReplicaId } from "../../../core/text/types.ts";

/** The replicas whose actors a connection was told: at first its own alone, for which no set is needed. */
export class KnownReplicas {
  #first: ReplicaId | null = null;
  #others: Set<ReplicaId> | null = null;

  add(replica: ReplicaId): void {
    if (this.has(replica)) return;
    if (this.#first === null) {
      this.#first = replica;
      return;
    }
    this.#others ??= new Set();
    this.#others.add(replica);
  }

  has(replica: ReplicaId): boolean {
    return replica === this.#first || this.#others?.has(replica) === true;
  }
}
