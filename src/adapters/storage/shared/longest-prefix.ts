/**
 * The longest stored beginning of a conversation, where a beginning that is stored has all shorter ones stored too: a
 * binary search, at most ⌈log2(n + 1)⌉ look-ups.
 */
export function longestStored<Found>(
  hashes: readonly string[],
  find: (hash: string) => Found | undefined,
): { readonly found: Found; readonly length: number } | null {
  let best: { readonly found: Found; readonly length: number } | null = null;
  let low = 1;
  let high = hashes.length;
  while (low <= high) {
    const length = (low + high) >>> 1;
    const found = find(hashes[length - 1] ?? "");
    if (found === undefined) {
      high = length - 1;
    } else {
      best = { found, length };
      low = length + 1;
    }
  }
  return best;
}
