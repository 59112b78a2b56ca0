import type { Mutant } from "./mutant.ts";

const laws = "test/fuzz/fuzz-syntax.test.ts";

/** Defects of the scanner, the writer and the coercion. */
export const mutants: readonly Mutant[] = [
  {
    name: "what was held back is forgotten",
    file: "src/core/syntax/scanner.ts",
    search: 'this.#run(this.#held === "" ? piece : this.#held + piece);',
    replacement: "this.#run(piece);",
    test: laws,
    only: "^xml ",
  },
];
