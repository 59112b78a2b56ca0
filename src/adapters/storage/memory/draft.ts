import type { Placed } from "./placed.ts";
import type { MemoryTables } from "./tables.ts";

/** Changes to tables that can be rolled back, newest first. */
export class Draft {
  readonly tables: MemoryTables;
  readonly #inverses: (() => void)[] = [];

  constructor(tables: MemoryTables) {
    this.tables = tables;
    const next = tables.counter.next;
    this.#inverses.push(() => {
      tables.counter.next = next;
    });
  }

  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    const before = map.get(key);
    this.#inverses.push(() => {
      if (before === undefined) map.delete(key);
      else map.set(key, before);
    });
    map.set(key, value);
  }

  /** Stores a record at its existing place, or at the next place when it is new. */
  place<Key, Value>(map: Map<Key, Placed<Value>>, key: Key, value: Value): void {
    this.set(map, key, { place: map.get(key)?.place ?? this.nextPlace(), value });
  }

  delete<Key, Value>(map: Map<Key, Value>, key: Key): void {
    const before = map.get(key);
    if (before === undefined) return;
    this.#inverses.push(() => map.set(key, before));
    map.delete(key);
  }

  push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
    const list = map.get(key);
    if (list === undefined) {
      this.set(map, key, [value]);
      return;
    }
    this.#inverses.push(() => list.pop());
    list.push(value);
  }

  /** Makes a change that is not one to a map; `inverse` reverts exactly what `change` does. */
  change(change: () => void, inverse: () => void): void {
    this.#inverses.push(inverse);
    change();
  }

  nextPlace(): number {
    const place = this.tables.counter.next;
    this.tables.counter.next += 1;
    return place;
  }

  undo(): void {
    for (const inverse of this.#inverses.toReversed()) inverse();
  }
}
