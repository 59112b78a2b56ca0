import { unreachable } from "../base/assert.ts";
import { lookAheadMax, type CharacterClass, type Edge, type Token } from "./grammar.ts";

/** What registers hold; they are set by runs and live as long as what was opened. */
export interface Registers {
  [register: string]: string;
}

/** The tokens do not stand here. */
export const noMatch = -1;
/** They may, once more of the reply is there. */
export const needsMore = -2;

/** Where the input may end. `open`: more may come; `stopped`: the model ended it; `cut`: it was cut off. */
export type InputEnd = "open" | "stopped" | "cut";

export interface MatchContext {
  readonly end: InputEnd;
  /** After `needsMore`: what would go on with the literal that is open; empty where it is no literal. */
  expected: string;
  /** After `needsMore`: the class of the run that is open, and how much of it would still be undecided; 0 for none. */
  expectedRun: CharacterClass;
  expectedUnits: number;
  readonly isKnownParameter: (key: string) => boolean;
  readonly isKnownTool: (name: string) => boolean;
}

/**
 * Matches a row of tokens at an offset: the offset behind them, `noMatch` or `needsMore`. What runs take is written to
 * `captured`, which the caller throws away if nothing matched.
 */
export function matchTokens(
  tokens: readonly Token[],
  input: string,
  from: number,
  context: MatchContext,
  registers: Registers,
  captured: Registers,
): number {
  let at = from;
  for (const token of tokens) {
    at = matchToken(token, input, at, from + lookAheadMax, context, registers, captured);
    if (at < 0) return at;
  }
  return at;
}

function matchToken(
  token: Token,
  input: string,
  at: number,
  limit: number,
  context: MatchContext,
  registers: Registers,
  captured: Registers,
): number {
  if (typeof token === "string") {
    return matchLiteral(literalOf(token), input, at, context, registers, captured);
  }
  if ("run" in token) {
    const end = runEnd(token.run, input, at, Math.min(at + token.max, limit));
    if (end === input.length && end > at && end < at + token.max && end < limit && context.end === "open") {
      context.expectedRun = token.run;
      context.expectedUnits = Math.min(at + token.max, limit) - end - 1;
      return needsMore;
    }
    if (end === input.length && end === at && end < limit && context.end === "open") return needsMore;
    // A run that is longer than it may be is another thing.
    if (end < input.length && end === at + token.max && isIn(token.run, input.charCodeAt(end), false)) return noMatch;
    if (end === input.length && end === at + token.max && context.end === "open") return needsMore;
    if (end - at < token.min || end >= limit) return noMatch;
    if (token.into !== undefined) captured[token.into] = input.slice(at, end);
    return end;
  }
  if ("space" in token || "blanks" in token) {
    const end = "space" in token ? spaceEnd(input, at) : blanksEnd(input, at);
    if (end > limit) return noMatch;
    return end === input.length && context.end === "open" ? needsMore : end;
  }
  if ("lineEnd" in token) {
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
  if ("replyEnd" in token) {
    if (at < input.length) return noMatch;
    return context.end === "open" ? needsMore : context.end === "stopped" ? at : noMatch;
  }
  if ("knownParameter" in token) {
    return context.isKnownParameter(captured["key"] ?? registers["key"] ?? "") ? at : noMatch;
  }
  if ("knownTool" in token) return context.isKnownTool(captured["name"] ?? registers["name"] ?? "") ? at : noMatch;
  if ("ahead" in token) {
    let verdict: number = noMatch;
    for (const alternative of token.ahead) {
      const end = matchTokens(alternative, input, at, context, registers, captured);
      if (end >= 0) return at;
      if (end === needsMore) verdict = needsMore;
    }
    return verdict;
  }
  return unreachable(token);
}

/** A literal's pieces: texts and, at odd places, the names of registers. */
type Literal = readonly string[];

const literals = new Map<string, Literal>();

function literalOf(template: string): Literal {
  const known = literals.get(template);
  if (known !== undefined) return known;
  const pieces = template.split(/\{(\w+)\}/);
  literals.set(template, pieces);
  return pieces;
}

function matchLiteral(
  literal: Literal,
  input: string,
  from: number,
  context: MatchContext,
  registers: Registers,
  captured: Registers,
): number {
  let at = from;
  for (let index = 0; index < literal.length; index += 1) {
    const piece = literal[index] ?? "";
    const text = index % 2 === 0 ? piece : (captured[piece] ?? registers[piece] ?? "");
    const length = input.length - at;
    if (length < text.length) {
      if (context.end !== "open" || !text.startsWith(input.slice(at))) return noMatch;
      context.expected = text.slice(length) + restOf(literal, index + 1, registers, captured);
      return needsMore;
    }
    if (!input.startsWith(text, at)) return noMatch;
    at += text.length;
  }
  return at;
}

function restOf(literal: Literal, from: number, registers: Registers, captured: Registers): string {
  let rest = "";
  for (let index = from; index < literal.length; index += 1) {
    const piece = literal[index] ?? "";
    rest += index % 2 === 0 ? piece : (captured[piece] ?? registers[piece] ?? "");
  }
  return rest;
}

/** Whether an edge's condition on the registers holds. */
export function holds(edge: Edge, registers: Registers): boolean {
  if (edge.when === undefined) return true;
  return Object.entries(edge.when).every(([register, wanted]) => {
    const value = registers[register] ?? "";
    return wanted === "*" ? value !== "" : value === wanted;
  });
}

/** A text with `{register}` replaced. */
export function filled(template: string, registers: Registers, captured: Registers = registers): string {
  if (!template.includes("{")) return template;
  return template.replaceAll(
    /\{(\w+)\}/g,
    (whole, register: string) => captured[register] ?? registers[register] ?? whole,
  );
}

/** The characters with which a row of tokens may begin; what a register holds at the beginning is not known here. */
export function firstCharacters(tokens: readonly Token[]): readonly number[] {
  const first: number[] = [];
  for (const token of tokens) {
    if (typeof token === "string") return [...first, token.charCodeAt(0)];
    if ("run" in token) {
      for (let code = 0; code < 128; code += 1) if (isIn(token.run, code, true)) first.push(code);
      if (token.min > 0) return first;
    } else if ("space" in token) first.push(32, 9, 10, 13);
    else if ("blanks" in token) first.push(32, 9);
    else if ("lineEnd" in token) {
      first.push(10, 13);
      if (token.lineEnd !== "optional") return first;
    } else if ("ahead" in token) return [...first, ...token.ahead.flatMap(firstCharacters)];
    else if ("replyEnd" in token) return first;
  }
  return first;
}

const classes: Record<CharacterClass, { readonly first: RegExp; readonly rest: RegExp }> = {
  name: { first: /[A-Za-z0-9_]/, rest: /[A-Za-z0-9_.-]/ },
  word: { first: /[A-Za-z0-9_]/, rest: /[A-Za-z0-9_]/ },
  key: { first: /[A-Za-z0-9_$]/, rest: /[A-Za-z0-9_$.-]/ },
  caret: { first: /\^/, rest: /\^/ },
  dash: { first: /-/, rest: /-/ },
  blank: { first: /[ \t]/, rest: /[ \t]/ },
  digit: { first: /[0-9]/, rest: /[0-9]/ },
  id: { first: /[A-Za-z0-9_]/, rest: /[A-Za-z0-9_.:-]/ },
};

const bitOf = Object.fromEntries(Object.keys(classes).map((name, index) => [name, 1 << index])) as Record<
  CharacterClass,
  number
>;

const [firstBits, restBits] = [true, false].map((first) => {
  const bits = new Uint8Array(128);
  for (const [name, { first: opening, rest }] of Object.entries(classes)) {
    for (let code = 0; code < 128; code += 1) {
      if ((first ? opening : rest).test(String.fromCharCode(code))) {
        bits[code] = (bits[code] ?? 0) | bitOf[name as CharacterClass];
      }
    }
  }
  return bits;
}) as [Uint8Array, Uint8Array];

function isIn(name: CharacterClass, code: number, first: boolean): boolean {
  return code < 128 && (((first ? firstBits : restBits)[code] ?? 0) & bitOf[name]) !== 0;
}

function runEnd(name: CharacterClass, input: string, from: number, max: number): number {
  let at = from;
  while (at < input.length && at < max && isIn(name, input.charCodeAt(at), at === from)) at += 1;
  return at;
}

/** Whether all of a text goes on with a run. */
export function continuesRun(name: CharacterClass, text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (!isIn(name, text.charCodeAt(at), false)) return false;
  return true;
}

/** Whether a whole text is of a class and not too long to be one. */
export function isRunOf(name: CharacterClass, text: string, max: number): boolean {
  return text !== "" && text.length <= max && runEnd(name, text, 0, text.length) === text.length;
}

export function spaceEnd(input: string, from: number): number {
  let at = from;
  while (at < input.length && isSpace(input.charCodeAt(at))) at += 1;
  return at;
}

function blanksEnd(input: string, from: number): number {
  let at = from;
  while (at < input.length && isBlank(input.charCodeAt(at))) at += 1;
  return at;
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

export function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}
