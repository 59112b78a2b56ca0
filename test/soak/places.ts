import type { BlockId, RootId } from "../../src/core/base/ids.ts";
import { must } from "../../src/core/base/assert.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

/** A canvas with the conversation of the agent that works on it. */
export interface Place {
  readonly canvasId: BlockId;
  readonly rootId: RootId;
}

/** Where people find something to read and to write: one place for each agent, which moves on to a new one from time to time. */
export class Places {
  readonly #current = new Map<number, Place>();
  readonly #all: Place[] = [];

  /** Every place there was. */
  get all(): readonly Place[] {
    return this.#all;
  }

  move(author: number, place: Place): void {
    this.#current.set(author, place);
    this.#all.push(place);
  }

  any(random: SeededRandom): Place {
    const places = [...this.#current.values()];
    return must(places[random.below(places.length)], "there is a place");
  }
}
