/** Splits a command line as a shell does, without its expansions; null where a quotation mark is not closed. */
export function splitCommand(line: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at] ?? "";
    if (quote !== null) {
      if (sign === quote) quote = null;
      else if (sign === "\\" && quote === '"' && /["\\]/.test(line[at + 1] ?? "")) word += line[(at += 1)] ?? "";
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= "";
    } else if (/\s/.test(sign)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + sign;
  }
  if (quote !== null) return null;
  return word === null ? words : [...words, word];
}
