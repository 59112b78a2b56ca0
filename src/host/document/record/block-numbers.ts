import { assert } from "../../../core/base/assert.ts";
import type { DocumentId } from "../../../core/base/ids.ts";
import type { Store } from "../../../core/port/store.ts";
import type { ReplicaId } from "../../../core/text/types.ts";

/** Assigns the numbers in the ids of a document's blocks, each agent's from 0; reads the store on the first use. */
export class BlockNumbers {
  readonly #store: Store;
  readonly #documentId: DocumentId;
  #nextByAgent: Map<string, number> | null = null;

  constructor(store: Store, documentId: DocumentId) {
    this.#store = store;
    this.#documentId = documentId;
  }

  /** Returns and takes the agent's next number; the caller holds the document's queue. */
  async next(replica: ReplicaId): Promise<number> {
    this.#nextByAgent ??= await this.#read();
    const key = String(replica);
    const number = this.#nextByAgent.get(key) ?? 0;
    this.#nextByAgent.set(key, number + 1);
    return number;
  }

  /** Forgets the numbers: the document's blocks were deleted. */
  forget(): void {
    this.#nextByAgent = null;
  }

  async #read(): Promise<Map<string, number>> {
    const next = new Map<string, number>();
    for (const header of await this.#store.blocks(this.#documentId)) {
      const [replica, number] = header.id.split("/").slice(-2);
      assert(replica !== undefined && number !== undefined, `the id ${header.id} names an agent and a number`);
      next.set(replica, Math.max(next.get(replica) ?? 0, Number(number) + 1));
    }
    return next;
  }
}
