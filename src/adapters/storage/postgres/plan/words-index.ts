import { foldedWords, foldWord } from "../../shared/words.ts";

/** The words of texts for PostgreSQL's text search; storage/words.ts defines what a word is for every store. */

// PostgreSQL's own limits: 2,046 bytes per word, 16,383 positions, 256 positions per word, one megabyte in all.
const wordUnitsMax = 500;
const placesMax = 16_383;
const placesOfWordMax = 255;
const bytesMax = 900_000;
const bytesOfPlace = 2;
const bytesOfWord = 12;

export interface WordsIndex {
  readonly count: number;
  /** A `tsvector` in its written form. */
  readonly words: string;
}

/** Indexes a text. Of a text with more words than the database accepts, only the first words are found. */
export function indexOfWords(text: string): WordsIndex {
  const found = foldedWords(text);
  const placesByWord = new Map<string, number[]>();
  let bytes = 0;
  for (const [index, word] of found.entries()) {
    const lexeme = word.slice(0, wordUnitsMax);
    const places = placesByWord.get(lexeme);
    const costs = bytesOfPlace + (places === undefined ? Buffer.byteLength(lexeme) + bytesOfWord : 0);
    if (bytes + costs > bytesMax) break;
    if (places !== undefined && places.length >= placesOfWordMax) continue;
    bytes += costs;
    const place = Math.min(index + 1, placesMax);
    if (places === undefined) placesByWord.set(lexeme, [place]);
    else places.push(place);
  }
  const words = Array.from(placesByWord, ([lexeme, places]) => `'${lexeme}':${places.join(",")}`).join(" ");
  return { count: found.length, words };
}

/** Returns each word of a query as its own `tsquery`; the last may be the beginning of a word. */
export function questionsOf(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const lexeme = `'${foldWord(word).slice(0, wordUnitsMax)}'`;
    return index === words.length - 1 ? `${lexeme}:*` : lexeme;
  });
}
