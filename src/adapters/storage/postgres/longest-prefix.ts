/** How many lengths are asked for in one round trip. */
const probesMax = 16;

/**
 * How long the longest stored beginning is, where a beginning that is stored has all shorter ones stored too: a search by
 * sixteenths, since a round trip costs more than the look-ups in it.
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

/** Up to sixteen lengths in (least, most], evenly spread, the last of them `most`. */
function lengthsBetween(least: number, most: number): readonly number[] {
  const count = Math.min(probesMax, most - least);
  return Array.from({ length: count }, (_, index) => least + Math.ceil(((index + 1) * (most - least)) / count));
}
