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

test.each<readonly [name: string, on: Edge["on"], needsOne: boolean]>([
  ["at least one character", [{ run: "key", min: 1, max: 9 }], true],
  ["perhaps no character", [{ run: "key", min: 0, max: 9 }], false],
  ["perhaps no character, then a text", [{ run: "key", min: 0, max: 9 }, "<a>"], true],
  ["a text", ["<a>"], true],
])("an edge of %s is tried only where a character may begin it, unless it may be empty", (_name, on, needsOne) => {
  const grammar = withState({ type: "choice", edges: [{ on, to: "only" }], otherwise: { type: "go", to: "text" } });
  const state = compileGrammar(grammar).states.get("only");
  const first = state?.type === "choice" ? state.edges[0]?.first : undefined;
  expect(first === null).toBe(!needsOne);
});

test.each([
  ["<x>", true],
  ["[x]", false],
])("a value that ends at < has a closer look where the tag %s may begin: %s", (open, expected) => {
  const value: State = { type: "value", ends: [{ on: ["<"], to: "text" }], into: "piece", normalisesLineEnds: false };
  const guard = { type: "tags", instead: "", tags: [{ open, close: "</x>", around: "value" }] } as const;
  expect(compileGrammar({ ...withState(value), guard }).states.get("only")).toMatchObject({ marksTags: expected });
});
