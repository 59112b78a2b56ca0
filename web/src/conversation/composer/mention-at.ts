/** A document that is being named in the composer: `@` and letters, up to the caret. */
export interface Mention {
  readonly from: number;
  readonly to: number;
  readonly letters: string;
}

/** Returns the mention at the caret; null where there is none. An `@` inside a word, as in an address, begins none. */
export function mentionAt(text: string, caret: number): Mention | null {
  const found = /(?:^|[\s([{“"'])@([^\s@]{0,60})$/u.exec(text.slice(0, caret));
  if (found === null) return null;
  const letters = found[1] ?? "";
  return { from: caret - letters.length - 1, to: caret, letters };
}

/** Returns the text without the mention, and where the caret is then. */
export function withoutMention(text: string, { from, to }: Mention): { readonly text: string; readonly caret: number } {
  return { text: text.slice(0, from) + text.slice(to).replace(/^ /u, ""), caret: from };
}
