/** The entries that match a filter, in an order; kept while entries change. */
export class SortedList<Entry> {
  readonly #matches: (entry: Entry) => boolean;
  readonly #compare: (a: Entry, b: Entry) => number;
  readonly #entries: Entry[];

  /** `compare` must tell any two entries of different ids apart. */
  constructor(entries: Iterable<Entry>, matches: (entry: Entry) => boolean, compare: (a: Entry, b: Entry) => number) {
    this.#matches = matches;
    this.#compare = compare;
    this.#entries = [...entries].filter(matches).toSorted(compare);
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Returns the first `count` entries. */
  first(count: number): readonly Entry[] {
    return this.#entries.slice(0, count);
  }

  /** Replaces an entry; undefined means none. */
  replace(before: Entry | undefined, after: Entry | undefined): void {
    if (before !== undefined && this.#matches(before)) {
      const place = this.#placeOf(before);
      if (this.#entries[place] === before) this.#entries.splice(place, 1);
    }
    if (after !== undefined && this.#matches(after)) this.#entries.splice(this.#placeOf(after), 0, after);
  }

  /** Returns the place of the first entry that does not come before this one. */
  #placeOf(entry: Entry): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const there = this.#entries[middle];
      if (there !== undefined && this.#compare(there, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
