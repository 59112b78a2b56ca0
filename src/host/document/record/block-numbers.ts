import { assert } from "../../../core/base/assert.ts";
import type { DocumentId } from "../../../core/base/ids.ts";
import type { Store } from "../../../core/port/store.ts";
import type { AgentId } from "../../../core/text/types.ts";

/** Which numbers the blocks of a document take, each agent's from 0; read from the store when the first is asked for. */
export class BlockNumbers {
  readonly #store: Store;
  readonly #documentId: DocumentId;
  #nextByAgent: Map<string, number> | null = null;

  constructor(store: Store, documentId: DocumentId) {
    this.#store = store;
    this.#documentId = documentId;
  }

  /** Takes the agent's next one; asked from within the document's queue. */
  async next(agent: AgentId): Promise<number> {
    this.#nextByAgent ??= await this.#read();
    const key = String(agent);
    const number = this.#nextByAgent.get(key) ?? 0;
    this.#nextByAgent.set(key, number + 1);
    return number;
  }

  /** The document's blocks are gone, or others than were read. */
  forget(): void {
    this.#nextByAgent = null;
  }

  async #read(): Promise<Map<string, number>> {
    const next = new Map<string, number>();
    for (const header of await this.#store.blocks(this.#documentId)) {
      const [agent, number] = header.id.split("/").slice(-2);
      assert(agent !== undefined && number !== undefined, `the id ${header.id} names an agent and a number`);
      next.set(agent, Math.max(next.get(agent) ?? 0, Number(number) + 1));
    }
    return next;
  }
}
