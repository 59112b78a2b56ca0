import { isIn } from "../base/characters.ts";
import type { CharacterClass, Token } from "../base/grammar.ts";

/** A token compiled for matching. */
export type CompiledToken =
  | { readonly type: "literal"; readonly text: string }
  /** Texts and, at odd positions, the names of registers. */
  | { readonly type: "template"; readonly pieces: readonly string[] }
  | {
      readonly type: "run";
      readonly run: CharacterClass;
      readonly min: number;
      readonly max: number;
      readonly into: string | null;
    }
  | { readonly type: "space" }
  | { readonly type: "blanks" }
  | { readonly type: "line-end"; readonly lineEnd: "only" | "or-end" | "optional" }
  | { readonly type: "reply-end" }
  | { readonly type: "known-parameter" }
  | { readonly type: "known-tool" }
  | { readonly type: "ahead"; readonly alternatives: readonly CompiledTokens[] };

/** A sequence of tokens, matched one after the other. */
export type CompiledTokens = readonly CompiledToken[];

/** Compiles a sequence of tokens. */
export function compileTokens(tokens: readonly Token[]): CompiledTokens {
  return tokens.map(compileToken);
}

function compileToken(token: Token): CompiledToken {
  if (typeof token === "string") {
    const pieces = token.split(/\{(\w+)\}/);
    return pieces.length === 1 ? { type: "literal", text: token } : { type: "template", pieces };
  }
  if ("run" in token) return { type: "run", ...token, into: token.into ?? null };
  if ("space" in token) return { type: "space" };
  if ("blanks" in token) return { type: "blanks" };
  if ("lineEnd" in token) return { type: "line-end", lineEnd: token.lineEnd };
  if ("replyEnd" in token) return { type: "reply-end" };
  if ("knownParameter" in token) return { type: "known-parameter" };
  if ("knownTool" in token) return { type: "known-tool" };
  return { type: "ahead", alternatives: token.ahead.map(compileTokens) };
}

/** Returns the characters with which a sequence of tokens may begin; the value of a leading register is unknown here. */
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
