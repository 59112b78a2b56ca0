/** A record with its place in the order in which records of its kind were first stored. */
export interface Placed<Value> {
  readonly place: number;
  readonly value: Value;
}

/** Returns the values in the order in which they were first stored. */
export function inOrder<Value>(placed: Iterable<Placed<Value>>): readonly Value[] {
  return placesInOrder(placed).map((entry) => entry.value);
}

export function placesInOrder<Value>(placed: Iterable<Placed<Value>>): readonly Placed<Value>[] {
  return [...placed].toSorted((a, b) => a.place - b.place);
}
