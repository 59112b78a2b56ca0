/** Random draws that repeat for a seed. */
export interface SeededRandom {
  /** A whole number from 0 to `bound` - 1. */
  readonly below: (bound: number) => number;
  /** True once in `n` draws, on average. */
  readonly oneIn: (n: number) => boolean;
  readonly pick: <Value>(from: readonly [Value, ...Value[]]) => Value;
  readonly bytes: (count: number) => Uint8Array;
}

/**
 * Creates a random number generator (mulberry32) that depends only on the seed; good enough to choose test events, not for
 * secrets.
 */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (bound: number): number => Math.floor((next() / 4_294_967_296) * bound);
  return {
    below,
    oneIn: (n) => below(n) === 0,
    pick: (from) => from[below(from.length)] ?? from[0],
    bytes: (count) => Uint8Array.from({ length: count }, () => below(256)),
  };
}
