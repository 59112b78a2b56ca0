import type { Chain } from "../../../core/rights/object-key.ts";
import type { Role } from "../../../core/rights/role.ts";
import { SmallMap } from "../../base/small-map.ts";

interface Watched {
  readonly chain: Chain;
  readonly end: () => void;
}

/** What a connection watches, by the id of the object, with all that the object lies in. */
export class WatchedObjects {
  readonly #byId = new SmallMap<string, Watched>();

  add(id: string, chain: Chain, end: () => void): void {
    this.#byId.set(id, { chain, end });
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }

  clear(): void {
    this.#byId.clear();
  }

  /** Returns whether something watched lies elsewhere now. */
  moved(id: string, chain: Chain): boolean {
    const watched = this.#byId.get(id);
    if (watched === undefined || watched.chain.join() === chain.join()) return false;
    this.#byId.set(id, { ...watched, chain });
    return true;
  }

  /** Ends, at once, each watch of what the person has no role on. */
  endUnseen(has: (chain: Chain, role: Role) => boolean): void {
    for (const [id, { chain, end }] of this.#byId.entries()) {
      if (has(chain, "viewer")) continue;
      this.#byId.delete(id);
      end();
    }
  }
}
