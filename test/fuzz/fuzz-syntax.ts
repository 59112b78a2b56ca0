import { syntaxes } from "../../src/core/syntax/registry.ts";
import { syntaxLaws, type TextSyntax } from "./syntax-laws.ts";

/** The syntaxes that have a grammar. */
export const textSyntaxes: readonly TextSyntax[] = syntaxes.filter(
  (syntax): syntax is TextSyntax => syntax.grammar !== null,
);

/**
 * Tries every law on `count` cases of every syntax; throws at the first failing case, with its seed. `only` selects by the
 * syntax's id with the law's name behind it.
 */
export function fuzzSyntax(count: number, seed: number, only = ""): Readonly<Record<string, number>> {
  const wanted = new RegExp(only);
  const tried: Record<string, number> = {};
  for (const syntax of textSyntaxes) {
    for (const [law, check] of Object.entries(syntaxLaws)) {
      if (!wanted.test(`${syntax.id} ${law}`)) continue;
      check(syntax, { numRuns: count, seed });
      tried[law] = (tried[law] ?? 0) + count;
    }
  }
  return tried;
}
