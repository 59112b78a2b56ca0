import { isHalf } from "../base/characters.ts";
import { closeLook, type CompiledGrammar } from "./compile-grammar.ts";

const newline = 10;

/** Whether no character of a piece needs a closer look; surrogates do. */
export function isPlain(piece: string, marks: Uint8Array): boolean {
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at);
    if (code < 128 ? marks[code] !== 0 : isHalf(code)) return false;
  }
  return true;
}

/**
 * Returns how much of a piece needs no closer look: all of it, all but a line break at its end, or none
 * of it (-1). Surrogates need one, and so do line breaks before certain characters.
 */
export function plainLength(piece: string, marks: Uint8Array, lineMarks: Uint8Array): number {
  const { length } = piece;
  for (let at = 0; at < length; at += 1) {
    const code = piece.charCodeAt(at);
    if (code < 128 ? marks[code] === 0 : !isHalf(code)) continue;
    if (code >= 128 || marks[code] === closeLook) return -1;
    if (at + 1 === length) return at;
    const next = piece.charCodeAt(at + 1);
    if (next < 128 && lineMarks[next] !== 0) return -1;
  }
  return length;
}

/** Where plain text ends: on its first line, inside another line, or at the beginning of a line. */
type TextEnd = "not-plain" | "same-line" | "other-line" | "fresh-line";

/**
 * Follows a piece of text that opens and quotes nothing; `beginsLine` tells whether its first character begins a line.
 */
export function plainTextEnd(piece: string, grammar: CompiledGrammar, beginsLine: boolean): TextEnd {
  const { textMarks, lineMarks } = grammar;
  let isFresh = beginsLine;
  let crossed = false;
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at);
    if (code >= 128) {
      if (isHalf(code)) return "not-plain";
      isFresh = false;
    } else if (isFresh) {
      if (lineMarks[code] === closeLook) return "not-plain";
      isFresh = code === newline;
      crossed ||= isFresh;
    } else if (textMarks[code] !== 0) {
      if (textMarks[code] === closeLook) return "not-plain";
      isFresh = true;
      crossed = true;
    }
  }
  return isFresh && crossed ? "fresh-line" : crossed ? "other-line" : "same-line";
}
