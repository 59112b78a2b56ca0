import { foldedWords, foldWord } from "../../shared/words.ts";

/** The words of texts as PostgreSQL's text search has them; what a word is, is decided in one place for every store. */

// PostgreSQL's own limits are 2,046 bytes a word, 16,383 places, 256 places a word and a megabyte in all.
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

/** Of a text with more words than the database takes, the first ones are found. */
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

/** Each word of a question as a `tsquery` of its own; the last may be the beginning of a word. */
export function questionsOf(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const lexeme = `'${foldWord(word).slice(0, wordUnitsMax)}'`;
    return index === words.length - 1 ? `${lexeme}:*` : lexeme;
  });
}
