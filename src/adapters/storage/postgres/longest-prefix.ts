/** Lengths probed per round trip. */
const probesMax = 16;

/**
 * Returns the length of the longest stored prefix. Every shorter prefix of a stored prefix is stored too, so it searches by
 * sixteenths, because a round trip costs more than its look-ups.
 */
export async function longestStored(
  hashes: readonly string[],
  areStored: (hashes: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<number> {
  let least = 0;
  let most = hashes.length;
  while (least < most) {
    const lengths = lengthsBetween(least, most);
    const stored = await areStored(lengths.map((length) => hashes[length - 1] ?? ""));
    const isStored = (length: number): boolean => stored.has(hashes[length - 1] ?? "");
    least = lengths.findLast(isStored) ?? least;
    most = (lengths.find((length) => length > least) ?? most + 1) - 1;
  }
  return least;
}

/** Up to sixteen evenly spread lengths in (least, most], the last of them `most`. */
function lengthsBetween(least: number, most: number): readonly number[] {
  const count = Math.min(probesMax, most - least);
  return Array.from({ length: count }, (_, index) => least + Math.ceil(((index + 1) * (most - least)) / count));
}
