/** Only the beginning of a longer mistyped word is compared. */
const comparedUnitsMax = 80;

/** Returns the known word that a mistyped word most probably means, or undefined when none is close. */
export function nearestWord(typed: string, known: readonly string[]): string | undefined {
  const compared = typed.trim().toLowerCase().slice(0, comparedUnitsMax);
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const word of known) {
    const distance = word.startsWith(compared) && compared.length > 1 ? 1 : editDistance(compared, word);
    if (best === undefined || distance < best.distance) best = { word, distance };
  }
  // A word that differs in more than a third of its letters is a different word.
  return best !== undefined && best.distance <= Math.max(1, Math.floor(compared.length / 3)) ? best.word : undefined;
}

/**
 * Counts the insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment).
 */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(a.length, b.length);
}
