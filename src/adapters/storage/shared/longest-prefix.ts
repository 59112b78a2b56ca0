/**
 * Finds the longest stored prefix of a conversation. Every shorter prefix of a stored prefix is stored too, so a binary
 * search takes at most ⌈log2(n + 1)⌉ look-ups.
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
