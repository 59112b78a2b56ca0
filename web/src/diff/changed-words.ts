/** A stretch of a line, and whether it differs from the other line. */
export interface Piece {
  readonly text: string;
  readonly changed: boolean;
}

/** Above this number of word pairs, only the part between the common beginning and end of two lines is marked. */
const pairsMax = 40_000;

/** Remaining word pairs that may be compared, so that showing a diff never waits for marks. */
export interface WordBudget {
  pairs: number;
}

/** Returns a budget for some thousand lines of prose. */
export function wordBudget(): WordBudget {
  return { pairs: 4_000_000 };
}

/**
 * Compares two lines word by word; their longest common subsequence stays unmarked. null when the lines have too little
 * in common for useful marks.
 */
export function changedWords(
  before: string,
  after: string,
  budget: WordBudget = wordBudget(),
): { readonly before: readonly Piece[]; readonly after: readonly Piece[] } | null {
  const left = wordsOf(before);
  const right = wordsOf(after);
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const keptLeft = new Set<number>();
  const keptRight = new Set<number>();
  const [restLeft, restRight] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  for (const [a, b] of commonWords(restLeft, restRight, budget)) {
    keptLeft.add(start + a);
    keptRight.add(start + b);
  }
  const stays = (kept: ReadonlySet<number>, count: number) => (index: number) =>
    index < start || index >= count - end || kept.has(index);
  const staysLeft = stays(keptLeft, left.length);
  const common = left.reduce((sum, word, index) => sum + (staysLeft(index) && /\S/u.test(word) ? word.length : 0), 0);
  if (common * 3 < Math.min(before.length, after.length)) return null;
  return { before: marked(left, staysLeft), after: marked(right, stays(keptRight, right.length)) };
}

/** Splits a line into words; every other character is a piece of its own. */
function wordsOf(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Returns the positions of a longest common subsequence. */
function commonWords(
  left: readonly string[],
  right: readonly string[],
  budget: WordBudget,
): readonly (readonly [number, number])[] {
  const wanted = left.length * right.length;
  if (wanted > Math.min(pairsMax, budget.pairs)) return [];
  budget.pairs -= wanted;
  const width = right.length + 1;
  const longest = new Uint16Array((left.length + 1) * width);
  for (let a = left.length - 1; a >= 0; a -= 1) {
    for (let b = right.length - 1; b >= 0; b -= 1) {
      const below = longest[(a + 1) * width + b] ?? 0;
      const beside = longest[a * width + b + 1] ?? 0;
      longest[a * width + b] =
        left[a] === right[b] ? (longest[(a + 1) * width + b + 1] ?? 0) + 1 : Math.max(below, beside);
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let a = 0, b = 0; a < left.length && b < right.length;) {
    if (left[a] === right[b]) {
      pairs.push([a, b]);
      a += 1;
      b += 1;
    } else if ((longest[(a + 1) * width + b] ?? 0) >= (longest[a * width + b + 1] ?? 0)) a += 1;
    else b += 1;
  }
  return pairs;
}

function marked(words: readonly string[], stays: (index: number) => boolean): readonly Piece[] {
  const pieces: { text: string; changed: boolean }[] = [];
  for (const [index, text] of words.entries()) {
    const changed = !stays(index);
    const last = pieces.at(-1);
    if (last?.changed === changed) last.text += text;
    else pieces.push({ text, changed });
  }
  return pieces;
}
