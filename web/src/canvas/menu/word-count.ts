/** Words and characters of a text. */
interface TextCount {
  readonly words: number;
  readonly characters: number;
}

// A Han character, a kana or a Thai letter run has no blanks between words: each counts by itself, as word processors do.
const word = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}]+(?:['’.-][\p{L}\p{N}]+)*/gu;

export function countText(text: string): TextCount {
  let words = 0;
  word.lastIndex = 0;
  while (word.exec(text) !== null) words += 1;
  let characters = 0;
  for (const _ of text) characters += 1;
  return { words, characters };
}

export function countWords({ words }: TextCount): string {
  return `${words.toLocaleString("en")} ${words === 1 ? "word" : "words"}`;
}
