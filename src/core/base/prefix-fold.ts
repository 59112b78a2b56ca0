/** What the beginning of a list came to. */
interface Reached<Value> {
  /** How many items the beginning has. */
  readonly count: number;
  readonly value: Value;
}

/**
 * Remembers what lists of things that never change came to, and finds it again for a list that begins with one of them:
 * each request of a conversation is the one before with a few more messages. Items count as equal only if they are the
 * same object. A list leaves memory with its last item, or when a longer one takes its place.
 */
export class PrefixMemory<Item extends object, Value> {
  readonly #listByLast = new WeakMap<Item, { readonly items: readonly Item[]; readonly value: Value }>();

  /** Returns the longest list kept that these items begin with; null for none. */
  reached(items: readonly Item[]): Reached<Value> | null {
    const lowest = Math.max(0, items.length - newItemsMax);
    for (let index = items.length - 1; index >= lowest; index -= 1) {
      const item = items[index];
      const list = item === undefined ? undefined : this.#listByLast.get(item);
      if (list?.items.length === index + 1 && beginsWith(items, list.items))
        return { count: index + 1, value: list.value };
    }
    return null;
  }

  /** Keeps what a list came to, in place of its beginning. */
  keep(items: readonly Item[], value: Value, beginning: Reached<Value> | null): void {
    const last = items.at(-1);
    if (last === undefined) return;
    const before = beginning === null ? undefined : items[beginning.count - 1];
    if (before !== undefined) this.#listByLast.delete(before);
    this.#listByLast.set(last, { items, value });
  }
}

/** Folds lists, and reads of a list that begins with one that was folded before only what is new. */
export class PrefixFold<Item extends object, Value> {
  readonly #empty: Value;
  readonly #extended: (value: Value, rest: readonly Item[], at: number) => Value;
  readonly #memory = new PrefixMemory<Item, Value>();

  /** `extended` returns the value after further items, of which the first has the index `at`; it changes no value. */
  constructor(empty: Value, extended: (value: Value, rest: readonly Item[], at: number) => Value) {
    this.#empty = empty;
    this.#extended = extended;
  }

  of(items: readonly Item[]): Value {
    const reached = this.#memory.reached(items);
    const at = reached?.count ?? 0;
    if (at === items.length) return reached?.value ?? this.#empty;
    const value = this.#extended(reached?.value ?? this.#empty, at === 0 ? items : items.slice(at), at);
    this.#memory.keep(items, value, reached);
    return value;
  }

  /** Folds a long list step by step, so that others can work between them; `of` has little left to do afterwards. */
  *steps(items: readonly Item[]): Generator<void, void, undefined> {
    if (items.length <= stepItems || this.#memory.reached(items) !== null) return;
    for (let end = stepItems; end < items.length; end += stepItems) {
      this.of(items.slice(0, end));
      yield;
    }
  }
}

/** How many new items are looked through for the end of a list that is kept; a list with more is read whole. */
const newItemsMax = 5_000;

/** Fewer than are looked through: each step finds the one before. */
const stepItems = 4_000;

function beginsWith<Item>(items: readonly Item[], first: readonly Item[]): boolean {
  for (let index = 0; index < first.length; index += 1) if (items[index] !== first[index]) return false;
  return true;
}
