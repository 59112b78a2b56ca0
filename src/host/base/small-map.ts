/** A map that costs a fifth of a `Map` while it has at most one entry, for objects of which there are thousands. */
export class SmallMap<Key extends string | number, Value> {
  /** The only entry; null while there is none, or while all are in `#all`. */
  #one: { readonly key: Key; readonly value: Value } | null = null;
  #all: Map<Key, Value> | null = null;

  get size(): number {
    return this.#all?.size ?? (this.#one === null ? 0 : 1);
  }

  get(key: Key): Value | undefined {
    if (this.#all !== null) return this.#all.get(key);
    return this.#one?.key === key ? this.#one.value : undefined;
  }

  has(key: Key): boolean {
    return this.#all?.has(key) ?? this.#one?.key === key;
  }

  set(key: Key, value: Value): void {
    if (this.#all !== null) this.#all.set(key, value);
    else if (this.#one === null || this.#one.key === key) this.#one = { key, value };
    else {
      this.#all = new Map([
        [this.#one.key, this.#one.value],
        [key, value],
      ]);
      this.#one = null;
    }
  }

  delete(key: Key): boolean {
    if (this.#all !== null) return this.#all.delete(key);
    if (this.#one?.key !== key) return false;
    this.#one = null;
    return true;
  }

  clear(): void {
    this.#one = null;
    this.#all = null;
  }

  /** The entries as they are now, in the order in which their keys were added. */
  entries(): readonly (readonly [Key, Value])[] {
    if (this.#all !== null) return [...this.#all];
    return this.#one === null ? [] : [[this.#one.key, this.#one.value]];
  }

  values(): readonly Value[] {
    return this.entries().map(([, value]) => value);
  }
}
