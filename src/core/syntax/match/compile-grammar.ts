import { must } from "../../base/assert.ts";
import type { Edge, Grammar, JsonPayload, Opening, Otherwise, State, Token } from "../base/grammar.ts";
import { firstsOf } from "../base/tag-characters.ts";
import { compileTokens, firstCharacters, type CompiledTokens } from "./compile-tokens.ts";

/** A grammar compiled for the scanner: states by reference, each with the characters that need a closer look. */
export interface CompiledGrammar {
  readonly grammar: Grammar;
  /** Indexed by the ASCII character with which they may begin. */
  readonly openingsByFirst: readonly (readonly CompiledOpening[] | undefined)[];
  /** For ASCII characters inside a line of text: `closeLook`, or `lineBreak` at a line's end. */
  readonly textMarks: Uint8Array;
  /** For ASCII characters that begin a line of text. */
  readonly lineMarks: Uint8Array;
  readonly states: ReadonlyMap<string, CompiledState>;
  readonly start: CompiledState;
}

/** A state with compiled edges and marks. */
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
      /** As for text: at a `lineBreak`, only the next character decides. */
      readonly marks: Uint8Array;
      /** What may follow a line break that ends the value. */
      readonly lineMarks: Uint8Array;
      /** Whether each character with which a tag of the grammar begins has a mark. */
      readonly marksTags: boolean;
      readonly ends: readonly CompiledEdge[];
      readonly into: "piece" | "element";
      readonly normalisesLineEnds: boolean;
    }
  | { readonly type: "reasoning"; readonly marks: Uint8Array; readonly ends: readonly CompiledEdge[] }
  | { readonly type: "json"; readonly payload: JsonPayload; readonly to: string };

/** An edge with compiled tokens. */
export interface CompiledEdge extends Pick<Edge, "do" | "to"> {
  readonly tokens: CompiledTokens;
  /** Registers and their required values; null for no condition. */
  readonly when: readonly (readonly [string, string])[] | null;
  /** 1 for each ASCII character with which it may begin; null when a register determines that. */
  readonly first: Uint8Array | null;
}

interface CompiledOpening extends CompiledEdge {
  readonly at: Opening["at"];
  /** Whether a call begins with it. */
  readonly isCall: boolean;
}

/** Marks of characters: the character may have a meaning; a line ends there. */
export const closeLook = 1;
export const lineBreak = 2;

/** Blanks, fences and block quotes: characters that may begin a line that is not plain. */
const beginningsOfQuotes = [9, 32, 62, 96, 126, ...Array.from("*+-0123456789", (mark) => mark.charCodeAt(0))];

/** The state in which a reply begins and to which every other state returns. */
export const textState: CompiledState = { type: "text" };

const compiledByGrammar = new WeakMap<Grammar, CompiledGrammar>();

/** Compiles a grammar; done once per grammar. */
export function compileGrammar(grammar: Grammar): CompiledGrammar {
  const known = compiledByGrammar.get(grammar);
  if (known !== undefined) return known;
  const firstOfRegister = firstsOfRegisters(grammar);
  const openingsByFirst = new Map<number, CompiledOpening[]>();
  for (const edge of grammar.openings) {
    const isCall = edge.do?.some((action) => action.type === "begin" || action.type === "meant") === true;
    const opening: CompiledOpening = { ...compileEdge(edge, firstOfRegister), at: edge.at, isCall };
    for (const code of new Set(firstCharacters(edge.on))) {
      openingsByFirst.set(code, [...(openingsByFirst.get(code) ?? []), opening]);
    }
  }
  const quotes = grammar.quoting === "fences-and-spans" ? [96] : [];
  const reasoningMarks = [...openingsByFirst.keys()];
  const tagFirsts = grammar.guard?.type === "tags" ? firstsOf(grammar.guard.tags) : [];
  const states = new Map<string, CompiledState>([["text", textState]]);
  for (const [name, state] of Object.entries(grammar.states)) {
    states.set(name, compileState(state, { reasoningMarks, tagFirsts, firstOfRegister }));
  }
  const textMarks = marksOf([...quotes, ...reasoningMarks]);
  // An opening may begin with the line break itself.
  if (!openingsByFirst.has(10)) textMarks[10] = lineBreak;
  const compiled: CompiledGrammar = {
    grammar,
    openingsByFirst: Array.from({ length: 128 }, (_, code) => openingsByFirst.get(code)),
    textMarks,
    lineMarks: marksOf([...reasoningMarks, ...beginningsOfQuotes]),
    states,
    start: textState,
  };
  for (const target of targets(grammar)) must(states.get(target), `the state ${target} is in the grammar`);
  compiledByGrammar.set(grammar, compiled);
  return compiled;
}

type FirstOfRegister = (register: string) => readonly number[];

/**
 * Returns the first characters of a register's possible values: those of the runs that fill it; none when it may be
 * empty.
 */
function firstsOfRegisters(grammar: Grammar): FirstOfRegister {
  const tokens = (edges: readonly Edge[]): readonly Token[] => edges.flatMap((edge) => edge.on);
  const all = [
    ...tokens(grammar.openings),
    ...Object.values(grammar.states).flatMap((state) => (state.type === "choice" ? tokens(state.edges) : [])),
  ];
  const runs = all.filter((token) => typeof token !== "string" && "run" in token);
  return (register) => {
    const filling = runs.filter((run) => run.into === register);
    return filling.some((run) => run.min === 0) ? [] : filling.flatMap((run) => firstCharacters([run]));
  };
}

/** Returns what may follow a line break that begins an end; null when the break alone may be an end. */
function behindLineBreak(ends: readonly Edge[], firstOfRegister: FirstOfRegister): readonly number[] | null {
  const behind: number[] = [];
  for (const { on } of ends) {
    if (!firstCharacters(on).includes(10)) continue;
    const [head, next] = on;
    if (head === undefined || typeof head === "string" || !("lineEnd" in head) || next === undefined) return null;
    const register = typeof next === "string" ? /^\{(\w+)\}/.exec(next)?.[1] : undefined;
    if (typeof next !== "string" && !("ahead" in next)) return null;
    const codes = register === undefined ? firstCharacters([next]) : firstOfRegister(register);
    if (codes.length === 0 || codes.includes(10)) return null;
    behind.push(...codes);
  }
  return behind;
}

function compileState(
  state: State,
  {
    reasoningMarks,
    tagFirsts,
    firstOfRegister,
  }: {
    readonly reasoningMarks: readonly number[];
    readonly tagFirsts: readonly string[];
    readonly firstOfRegister: FirstOfRegister;
  },
): CompiledState {
  switch (state.type) {
    case "choice":
      return {
        type: "choice",
        skipSpace: state.skipSpace ?? false,
        edges: state.edges.map((edge) => compileEdge(edge, firstOfRegister)),
        otherwise: state.otherwise,
      };
    case "value": {
      const first = state.ends.flatMap((end) => firstCharacters(end.on));
      const marks = marksOf(state.normalisesLineEnds ? [...first, 13] : first);
      const behind = behindLineBreak(state.ends, firstOfRegister);
      if (behind !== null && marks[10] === closeLook) marks[10] = lineBreak;
      return {
        ...state,
        marks,
        marksTags: tagFirsts.every((first) => marks[first.charCodeAt(0)] === closeLook),
        lineMarks: marksOf(behind ?? []),
        ends: state.ends.map((edge) => compileEdge(edge, firstOfRegister)),
      };
    }
    case "reasoning": {
      const first = state.ends.flatMap((end) => firstCharacters(end.on));
      return {
        ...state,
        marks: marksOf([...first, ...reasoningMarks]),
        ends: state.ends.map((edge) => compileEdge(edge, firstOfRegister)),
      };
    }
    case "json":
      return state;
  }
}

function compileEdge(edge: Edge, firstOfRegister: FirstOfRegister): CompiledEdge {
  const [head] = edge.on;
  const register = typeof head === "string" ? /^\{(\w+)\}/.exec(head)?.[1] : undefined;
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
  const first = register === undefined ? firstCharacters(edge.on) : firstOfRegister(register);
  return {
    ...(edge.do === undefined ? {} : { do: edge.do }),
    to: edge.to,
    tokens: compileTokens(edge.on),
    when: edge.when === undefined ? null : Object.entries(edge.when),
    first: mayBeEmpty || first.length === 0 ? null : marksOf(first),
  };
}

function marksOf(codes: readonly number[]): Uint8Array {
  const marks = new Uint8Array(128);
  for (const code of codes) marks[code] = closeLook;
  return marks;
}

function targetOf(otherwise: Otherwise): readonly string[] {
  const to = otherwise.type === "skip" ? undefined : otherwise.to;
  return to === undefined ? [] : [to];
}

function targets(grammar: Grammar): readonly string[] {
  const of = (edges: readonly Edge[]): readonly string[] => edges.map((edge) => edge.to);
  return [
    ...of(grammar.openings),
    ...(grammar.startInReasoning === undefined ? [] : [grammar.startInReasoning]),
    ...Object.values(grammar.states).flatMap((state) => {
      switch (state.type) {
        case "choice":
          return [...of(state.edges), ...targetOf(state.otherwise)];
        case "value":
        case "reasoning":
          return of(state.ends);
        case "json":
          return [state.to];
      }
    }),
  ];
}
