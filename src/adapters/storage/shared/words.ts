/**
 * The words of `searchWords` in every store: a word is a run of letters, digits and the marks on them, compared without
 * case and accents.
 */

const word = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu;

/** Longer queries are cut to this many words, since each costs a look-up. */
const wordsMax = 100;

const excerptUnits = 200;
const unitsBeforeFind = 60;

/**
 * Returns the words that a person typed, in order. The last may be the beginning of a word; each of the others is listed
 * once.
 */
export function queryWords(query: string): readonly string[] {
  const seen = new Set<string>();
  const words: string[] = [];
  let last: string | null = null;
  for (const [found] of query.matchAll(word)) {
    if (last !== null && !seen.has(foldWord(last)) && words.length < wordsMax - 1) {
      seen.add(foldWord(last));
      words.push(last);
    }
    last = found;
  }
  return last === null ? [] : [...words, last];
}

/** Returns the words of a text in their folded form, in order, with repetitions. */
export function foldedWords(text: string): readonly string[] {
  return Array.from(text.matchAll(word), ([found]) => foldWord(found));
}

export function foldWord(found: string): string {
  return found.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/**
 * Returns at most 200 UTF-16 units of the text around the first of the words found in it; its beginning when none is found.
 */
export function excerptOf(text: string, words: readonly string[]): string {
  const whole = new Set(words.slice(0, -1).map(foldWord));
  const beginning = foldWord(words.at(-1) ?? "");
  for (const found of text.matchAll(word)) {
    const folded = foldWord(found[0]);
    if (whole.has(folded) || (beginning !== "" && folded.startsWith(beginning))) return cut(text, found.index);
  }
  return cut(text, 0);
}

/** Moves the ends inwards where they would split a surrogate pair. */
function cut(text: string, find: number): string {
  let from = Math.max(0, Math.min(find - unitsBeforeFind, text.length - excerptUnits));
  let to = Math.min(text.length, from + excerptUnits);
  if (from > 0 && isLowSurrogate(text, from)) from += 1;
  if (to < text.length && isLowSurrogate(text, to)) to -= 1;
  return text.slice(from, to);
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
