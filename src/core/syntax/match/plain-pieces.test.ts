import { expect, test } from "vitest";
import { must } from "../../base/assert.ts";
import { caret } from "../grammars/caret.ts";
import { dialects } from "../grammars/dialects.ts";
import { compileGrammar } from "./compile-grammar.ts";
import { plainTextEnd } from "./plain-pieces.ts";

const grammar = compileGrammar(must(caret.grammar, "caret reads replies"));

// Tildes that begin a line may open a fence; anywhere else they are text.
test.each<readonly [piece: string, beginsLine: boolean, end: ReturnType<typeof plainTextEnd>]>([
  ["plain words", true, "same-line"],
  ["plain words", false, "same-line"],
  ["~~~", true, "not-plain"],
  ["~~~", false, "same-line"],
  ["é~~~", true, "same-line"],
  ["a\n~~~", false, "not-plain"],
  ["a^^^", false, "not-plain"],
  ["a\né~~~", false, "other-line"],
  ["a\nb", false, "other-line"],
  ["a\n", false, "fresh-line"],
  ["a\n\n", true, "fresh-line"],
  ["\n", true, "fresh-line"],
  ["\nb", true, "other-line"],
  ["", true, "same-line"],
  ["half \ud83d", false, "not-plain"],
])("plainTextEnd of %j, which begins a line: %s, is %s", (piece, beginsLine, end) => {
  expect(plainTextEnd(piece, grammar, beginsLine)).toBe(end);
});

test("a line break that may begin a mark is not plain", () => {
  // The answer's mark of hermes is a line of its own.
  const hermes = must(
    dialects.find((each) => each.id === "hermes"),
    "hermes is a dialect",
  );
  const marked = compileGrammar(must(hermes.grammar, "hermes reads replies"));
  for (const piece of ["\n", "a\n", "a\nb"]) expect(plainTextEnd(piece, marked, false)).toBe("not-plain");
});
