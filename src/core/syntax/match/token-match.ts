import { unreachable } from "../../base/assert.ts";
import { blanksEnd, isIn, runEnd, spaceEnd } from "../base/characters.ts";
import type { CompiledToken, CompiledTokens } from "./compile-tokens.ts";
import { lookAheadMax, type CharacterClass } from "../base/grammar.ts";
import { noRegisters, type Registers } from "../base/registers.ts";

/** The tokens do not match here. */
export const noMatch = -1;
/** They may match once more of the reply has arrived. */
export const needsMore = -2;

/** How the input may end. `open`: more may come; `stopped`: the model ended it; `cut`: it was cut off. */
export type InputEnd = "open" | "stopped" | "cut";

/** The inputs and outputs of a match. */
export interface MatchContext {
  readonly end: InputEnd;
  /** The registers before the match. */
  registers: Registers;
  /** What the runs of these tokens captured; the caller discards it when nothing matched. */
  captured: Registers;
  /** After `needsMore`: the text that would continue the open literal; empty outside a literal. */
  expected: string;
  /** After `needsMore`: the class of the open run, and how much more of it would stay undecided; 0 for none. */
  expectedRun: CharacterClass;
  expectedUnits: number;
  readonly isKnownParameter: (key: string) => boolean;
  readonly isKnownTool: (name: string) => boolean;
}

/** Matches a sequence of tokens at an offset: returns the offset after them, `noMatch` or `needsMore`. */
export function matchTokens(tokens: CompiledTokens, input: string, from: number, context: MatchContext): number {
  let at = from;
  for (const token of tokens) {
    at = matchToken(token, input, at, from + lookAheadMax, context);
    if (at < 0) return at;
  }
  return at;
}

function matchToken(token: CompiledToken, input: string, at: number, limit: number, context: MatchContext): number {
  switch (token.type) {
    case "literal":
      return matchLiteral(token.text, input, at, context);
    case "template":
      return matchTemplate(token.pieces, input, at, context);
    case "run":
      return matchRun(token, input, at, limit, context);
    case "space":
    case "blanks": {
      const end = token.type === "space" ? spaceEnd(input, at, limit + 1) : blanksEnd(input, at, limit + 1);
      if (end > limit) return noMatch;
      return end === input.length && context.end === "open" ? needsMore : end;
    }
    case "line-end": {
      const code = input.charCodeAt(at);
      if (code === 10) return at + 1;
      if (code === 13) {
        if (at + 1 === input.length && context.end === "open") return needsMore;
        if (input.charCodeAt(at + 1) === 10) return at + 2;
      }
      if (at === input.length && context.end === "open") return needsMore;
      if (token.lineEnd === "optional") return at;
      return token.lineEnd === "or-end" && at === input.length && context.end === "stopped" ? at : noMatch;
    }
    case "reply-end":
      if (at < input.length) return noMatch;
      return context.end === "open" ? needsMore : context.end === "stopped" ? at : noMatch;
    case "known-parameter":
      return context.isKnownParameter(held("key", context)) ? at : noMatch;
    case "known-tool":
      return context.isKnownTool(held("name", context)) ? at : noMatch;
    case "ahead": {
      let verdict: number = noMatch;
      for (const alternative of token.alternatives) {
        const end = matchTokens(alternative, input, at, context);
        if (end >= 0) return at;
        if (end === needsMore) verdict = needsMore;
      }
      return verdict;
    }
    default:
      return unreachable(token);
  }
}

function matchLiteral(text: string, input: string, from: number, context: MatchContext): number {
  const { length } = text;
  let at = from;
  for (let index = 0; index < length; index += 1, at += 1) {
    if (at === input.length) {
      if (context.end !== "open") return noMatch;
      context.expected = text.slice(index);
      return needsMore;
    }
    if (input.charCodeAt(at) !== text.charCodeAt(index)) return noMatch;
  }
  return at;
}

function matchTemplate(pieces: readonly string[], input: string, from: number, context: MatchContext): number {
  let at = from;
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index] ?? "";
    at = matchLiteral(index % 2 === 0 ? piece : held(piece, context), input, at, context);
    if (at === needsMore) {
      for (let next = index + 1; next < pieces.length; next += 1) {
        const rest = pieces[next] ?? "";
        context.expected += next % 2 === 0 ? rest : held(rest, context);
      }
    }
    if (at < 0) return at;
  }
  return at;
}

function held(register: string, { captured, registers }: MatchContext): string {
  return captured[register] ?? registers[register] ?? "";
}

type RunToken = Extract<CompiledToken, { readonly type: "run" }>;

function matchRun(token: RunToken, input: string, at: number, limit: number, context: MatchContext): number {
  const most = Math.min(at + token.max, limit);
  const end = runEnd(token.run, input, at, most);
  if (end === input.length && context.end === "open" && end < limit) {
    if (end > at && end < at + token.max) {
      context.expectedRun = token.run;
      context.expectedUnits = most - end - 1;
      return needsMore;
    }
    if (end === at) return needsMore;
  }
  // A run over its limit is something else.
  if (end < input.length && end === at + token.max && isIn(token.run, input.charCodeAt(end), false)) return noMatch;
  if (end === input.length && end === at + token.max && context.end === "open") return needsMore;
  if (end - at < token.min || end >= limit) return noMatch;
  if (token.into !== null) {
    if (context.captured === noRegisters) context.captured = {};
    context.captured[token.into] = input.slice(at, end);
  }
  return end;
}
