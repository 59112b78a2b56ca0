import { must } from "../base/assert.ts";
import type { Edge, Grammar, JsonPayload, Opening, Otherwise, State } from "./grammar.ts";
import { firstCharacters } from "./token-match.ts";

/** A grammar made ready for the scanner: states by reference, and for each the characters at which to look closer. */
export interface CompiledGrammar {
  readonly grammar: Grammar;
  readonly openingsByFirst: ReadonlyMap<number, readonly CompiledOpening[]>;
  /** 1 for each ASCII character at which text may change its meaning; line ends and what quotes among them. */
  readonly textMarks: Uint8Array;
  readonly states: ReadonlyMap<string, CompiledState>;
  readonly start: CompiledState;
}

export type CompiledState =
  | { readonly type: "text" }
  | {
      readonly type: "choice";
      readonly skipSpace: boolean;
      readonly edges: readonly CompiledEdge[];
      readonly otherwise: Otherwise;
    }
  | {
      readonly type: "value";
      readonly marks: Uint8Array;
      readonly ends: readonly CompiledEdge[];
      readonly into: "piece" | "element";
      readonly normalisesLineEnds: boolean;
    }
  | { readonly type: "reasoning"; readonly marks: Uint8Array; readonly ends: readonly CompiledEdge[] }
  | { readonly type: "json"; readonly payload: JsonPayload; readonly to: string };

export interface CompiledEdge extends Edge {
  /** 1 for each ASCII character with which it may begin; null where a register says with which. */
  readonly first: Uint8Array | null;
}

export type CompiledOpening = CompiledEdge & Pick<Opening, "at">;

export const textState: CompiledState = { type: "text" };

const compiledByGrammar = new WeakMap<Grammar, CompiledGrammar>();

/** Makes a grammar ready; done once for each grammar. */
export function compileGrammar(grammar: Grammar): CompiledGrammar {
  const known = compiledByGrammar.get(grammar);
  if (known !== undefined) return known;
  const openingsByFirst = new Map<number, CompiledOpening[]>();
  for (const opening of grammar.openings.map(compileEdge)) {
    for (const code of new Set(firstCharacters(opening.on))) {
      openingsByFirst.set(code, [...(openingsByFirst.get(code) ?? []), opening]);
    }
  }
  const quotes = grammar.quoting === "fences-and-spans" ? [10, 96] : [10];
  const reasoningMarks = [...openingsByFirst.keys()];
  const states = new Map<string, CompiledState>([["text", textState]]);
  for (const [name, state] of Object.entries(grammar.states)) states.set(name, compileState(state, reasoningMarks));
  const compiled: CompiledGrammar = {
    grammar,
    openingsByFirst,
    textMarks: marksOf([...quotes, ...reasoningMarks]),
    states,
    start: textState,
  };
  for (const target of targets(grammar)) must(states.get(target), `the state ${target} is in the grammar`);
  compiledByGrammar.set(grammar, compiled);
  return compiled;
}

function compileState(state: State, reasoningMarks: readonly number[]): CompiledState {
  switch (state.type) {
    case "choice":
      return {
        type: "choice",
        skipSpace: state.skipSpace ?? false,
        edges: state.edges.map(compileEdge),
        otherwise: state.otherwise,
      };
    case "value": {
      const first = state.ends.flatMap((end) => firstCharacters(end.on));
      const marks = marksOf(state.normalisesLineEnds ? [...first, 13] : first);
      return { ...state, marks, ends: state.ends.map(compileEdge) };
    }
    case "reasoning": {
      const first = state.ends.flatMap((end) => firstCharacters(end.on));
      return { ...state, marks: marksOf([...first, ...reasoningMarks]), ends: state.ends.map(compileEdge) };
    }
    case "json":
      return state;
  }
}

function compileEdge<Kind extends Edge>(edge: Kind): Kind & CompiledEdge {
  const [head] = edge.on;
  const open = head === undefined || (typeof head === "string" && head.startsWith("{"));
  const mayBeEmpty = edge.on.every(
    (token) =>
      typeof token !== "string" &&
      ("space" in token ||
        "blanks" in token ||
        "ahead" in token ||
        "replyEnd" in token ||
        "knownParameter" in token ||
        ("lineEnd" in token && token.lineEnd !== "only") ||
        ("run" in token && token.min === 0)),
  );
  return { ...edge, first: open || mayBeEmpty ? null : marksOf(firstCharacters(edge.on)) };
}

function marksOf(codes: readonly number[]): Uint8Array {
  const marks = new Uint8Array(128);
  for (const code of codes) marks[code] = 1;
  return marks;
}

function targets(grammar: Grammar): readonly string[] {
  const of = (edges: readonly Edge[]): readonly string[] => edges.map((edge) => edge.to);
  return [
    ...of(grammar.openings),
    ...(grammar.startInReasoning === undefined ? [] : [grammar.startInReasoning]),
    ...Object.values(grammar.states).flatMap((state) => {
      switch (state.type) {
        case "choice":
          return [...of(state.edges), ...(state.otherwise.type === "go" ? [state.otherwise.to] : [])];
        case "value":
        case "reasoning":
          return of(state.ends);
        case "json":
          return [state.to];
      }
    }),
  ];
}
