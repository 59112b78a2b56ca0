import type { Grammar } from "../base/grammar.ts";

/**
 * Returns what quotes a call that begins with a mark. A mark that is one token of the model (`<|…|>`,
 * `<｜…`) follows directly after the last word, even of a block quote, and opens a call there. A tag written
 * like any other text begins a line when it is meant as a call.
 */
export function quotingOf(mark: string): Grammar["quoting"] {
  return /^<[|｜]/.test(mark) ? "fences" : "fences-and-block-quotes";
}
