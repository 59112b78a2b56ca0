import { isHalf } from "./characters.ts";
import { closeLook } from "./compile-grammar.ts";

/** Whether no character of a piece needs a closer look; halves of pairs do. */
export function isPlain(piece: string, marks: Uint8Array): boolean {
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at);
    if (code < 128 ? marks[code] !== 0 : isHalf(code)) return false;
  }
  return true;
}

/**
 * How much of a piece none of whose characters needs a closer look: all of it, all but a line break at its end, or none
 * of it (-1). Halves of pairs need one, and line breaks before certain characters.
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
