import type { SeededRandom } from "../../src/testing/seeded-random.ts";

/**
 * Changes bytes as a bad wire, disk or client might: cuts, flips, doubles, drops or swaps a piece, or inserts a foreign
 * one.
 */
export function mutate(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const from = random.below(bytes.length + 1);
  const to = Math.min(bytes.length, from + 1 + random.below(16));
  const piece = bytes.subarray(from, to);
  switch (random.below(6)) {
    case 0:
      return bytes.slice(0, from);
    case 1: {
      const flipped = bytes.slice();
      const at = random.below(Math.max(1, bytes.length));
      flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
      return flipped;
    }
    case 2:
      return joined([bytes.subarray(0, to), piece, bytes.subarray(to)]);
    case 3:
      return joined([bytes.subarray(0, from), bytes.subarray(to)]);
    case 4:
      return joined([bytes.subarray(0, from), random.bytes(to - from), bytes.subarray(to)]);
    default:
      return joined([bytes, random.bytes(1 + random.below(8))]);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
