import { expect, test } from "vitest";
import { compileGrammar } from "./compile-grammar.ts";
import type { Edge, Grammar, State } from "../base/grammar.ts";

const edge: Edge = { on: ["<a>"], to: "missing" };

function withState(state: State): Grammar {
  return { openings: [], states: { only: state }, quoting: "fences" };
}

test.each<readonly [from: string, grammar: Grammar]>([
  ["an opening", { openings: [{ ...edge, at: "anywhere" }], states: {}, quoting: "fences" }],
  ["the start in reasoning", { openings: [], states: {}, quoting: "fences", startInReasoning: "missing" }],
  ["a choice", withState({ type: "choice", edges: [edge], otherwise: { type: "go", to: "text" } })],
  ["the rest of a choice", withState({ type: "choice", edges: [], otherwise: { type: "go", to: "missing" } })],
  ["a value", withState({ type: "value", ends: [edge], into: "piece", normalisesLineEnds: true })],
  ["reasoning", withState({ type: "reasoning", ends: [edge] })],
  ["JSON", withState({ type: "json", payload: { type: "arguments" }, to: "missing" })],
])("compileGrammar refuses a grammar in which %s leads to a state that is missing", (_from, grammar) => {
  expect(() => compileGrammar(grammar)).toThrow("the state missing is in the grammar");
});
