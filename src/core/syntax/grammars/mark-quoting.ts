import type { Grammar } from "../base/grammar.ts";

/**
 * What quotes a call that begins with a mark, in the syntaxes of models. A mark that is one sign to the model (`<|…|>`,
 * `<｜…>`) follows directly behind the last word, also behind that of a block quote, and is meant there. A tag written
 * like any other text stands on a line of its own where it is meant.
 */
export function quotingOf(mark: string): Grammar["quoting"] {
  return /^<[|｜]/.test(mark) ? "fences" : "fences-and-block-quotes";
}
