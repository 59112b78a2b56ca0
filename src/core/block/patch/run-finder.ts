/**
 * Finds many runs of lines in a text at once (Aho and Corasick 1975, over numbers that identify lines): one pass over the
 * text for any number of runs, so that no patch is slow on any text. Each run keeps only its first places, and a run that
 * has them all is no longer reported, which bounds the work by the size of text and runs together.
 */

/**
 * Returns the first places of each run, ascending, at most `placesMax`. A line that is in no run is 0 in `text`; no run is
 * empty.
 */
export function findRuns(
  text: Int32Array,
  runs: readonly Int32Array[],
  placesMax: number,
): readonly (readonly number[])[] {
  const trie = buildTrie(runs);
  const { ends, fallbacks, depths } = trie;
  /** For each state, the nearest state on its fallback path whose runs still need places; 0 for none. */
  const open = nearestEnds(trie);
  const placesByEnd = new Map<number, number[]>(ends.map((end) => [end, []]));
  let wanting = placesByEnd.size;
  let state = 0;
  for (let at = 0; at < text.length && wanting > 0; at += 1) {
    const number = text[at] ?? 0;
    if (number === 0) {
      state = 0;
      continue;
    }
    let next = trie.child(state, number);
    while (next === 0 && state !== 0) {
      state = fallbacks[state] ?? 0;
      next = trie.child(state, number);
    }
    state = next;
    for (let end = firstOpen(open, state); end !== 0; end = firstOpen(open, fallbacks[end] ?? 0)) {
      const places = placesByEnd.get(end) ?? [];
      places.push(at + 1 - (depths[end] ?? 0));
      if (places.length < placesMax) continue;
      open[end] = open[fallbacks[end] ?? 0] ?? 0;
      wanting -= 1;
    }
  }
  return ends.map((end) => placesByEnd.get(end) ?? []);
}

/** The runs as paths from state 0; a state falls back to the longest other path that is a suffix of its own. */
interface Trie {
  /** Returns the state after one more line, or 0. */
  child(state: number, number: number): number;
  /** The end state of each run; equal runs share theirs. */
  readonly ends: readonly number[];
  readonly fallbacks: Int32Array;
  readonly depths: Int32Array;
  /** All states but 0, shorter paths first. */
  readonly order: readonly number[];
}

function buildTrie(runs: readonly Int32Array[]): Trie {
  const size = runs.reduce((sum, run) => sum + run.length, 1);
  // Most states have one child; the map has the further children of the others.
  const firstNumbers = new Int32Array(size);
  const firstChildren = new Int32Array(size);
  const furtherChildren = new Map<number, number>();
  const numbers = new Int32Array(size);
  const parents = new Int32Array(size);
  const depths = new Int32Array(size);
  let count = 1;
  const child = (state: number, number: number): number =>
    firstNumbers[state] === number ? (firstChildren[state] ?? 0) : (furtherChildren.get(number * size + state) ?? 0);
  const ends = runs.map((run) => {
    let state = 0;
    for (const number of run) {
      let next = child(state, number);
      if (next === 0) {
        next = count;
        count += 1;
        if (firstNumbers[state] === 0) {
          firstNumbers[state] = number;
          firstChildren[state] = next;
        } else {
          furtherChildren.set(number * size + state, next);
        }
        numbers[next] = number;
        parents[next] = state;
        depths[next] = (depths[state] ?? 0) + 1;
      }
      state = next;
    }
    return state;
  });
  const order = Array.from({ length: count - 1 }, (_, index) => index + 1).sort(
    (a, b) => (depths[a] ?? 0) - (depths[b] ?? 0),
  );
  const fallbacks = new Int32Array(count);
  for (const state of order) {
    const parent = parents[state] ?? 0;
    if (parent === 0) continue;
    const number = numbers[state] ?? 0;
    let shorter = fallbacks[parent] ?? 0;
    while (shorter !== 0 && child(shorter, number) === 0) shorter = fallbacks[shorter] ?? 0;
    fallbacks[state] = child(shorter, number);
  }
  return { child, ends, fallbacks, depths, order };
}

function nearestEnds({ ends, fallbacks, order }: Trie): Int32Array {
  const nearest = new Int32Array(fallbacks.length);
  for (const end of ends) nearest[end] = end;
  for (const state of order) {
    if (nearest[state] === 0) nearest[state] = nearest[fallbacks[state] ?? 0] ?? 0;
  }
  return nearest;
}

/** Follows `open` to a state that reports itself, and shortens the path for later queries. */
function firstOpen(open: Int32Array, state: number): number {
  let found = open[state] ?? 0;
  while (found !== 0 && open[found] !== found) found = open[found] ?? 0;
  for (let at = state; at !== found && at !== 0;) {
    const next = open[at] ?? 0;
    open[at] = found;
    at = next;
  }
  return found;
}
