/** A piece of a text, and whether it is a word of the query. */
interface MarkedPart {
  readonly from: number;
  readonly text: string;
  readonly isMatch: boolean;
}

/** Cuts a text where words begin as a word of the query does, without regard to case and accents. */
export function markedParts(text: string, query: string): readonly MarkedPart[] {
  const wanted = query
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .map(folded)
    .filter((word) => word !== "");
  const parts: MarkedPart[] = [];
  let done = 0;
  const add = (to: number, isMatch: boolean): void => {
    if (to > done) parts.push({ from: done, text: text.slice(done, to), isMatch });
    done = Math.max(done, to);
  };
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu)) {
    const own = folded(word);
    const longest = Math.max(0, ...wanted.filter((each) => own.startsWith(each)).map(({ length }) => length));
    if (longest === 0) continue;
    add(index, false);
    // Where folding changes the length, the whole word is marked.
    add(index + (own.length === word.length ? longest : word.length), true);
  }
  add(text.length, false);
  return parts;
}

function folded(word: string): string {
  return word.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
