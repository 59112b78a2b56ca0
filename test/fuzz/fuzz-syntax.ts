import { syntaxes } from "../../src/core/syntax/registry.ts";
import { syntaxLaws, type TextSyntax } from "./syntax-laws.ts";

/** The syntaxes that have a grammar. */
export const textSyntaxes: readonly TextSyntax[] = syntaxes.filter(
  (syntax): syntax is TextSyntax => syntax.grammar !== null,
);

/** Tries every law on `count` cases of every syntax; throws at the first failing case, with its seed. */
export function fuzzSyntax(
  count: number,
  seed: number,
): { readonly syntaxes: number; readonly laws: number; readonly cases: number } {
  let cases = 0;
  for (const syntax of textSyntaxes) {
    for (const check of Object.values(syntaxLaws)) {
      check(syntax, { numRuns: count, seed });
      cases += count;
    }
  }
  return { syntaxes: textSyntaxes.length, laws: Object.keys(syntaxLaws).length, cases };
}
