import { fnv1a } from "./fnv.ts";

/**
 * The one line model. A line is a maximal run without `\n`; a trailing `\n` ends the last line and begins no other, so the
 * empty text has no lines and `"a\n"` has one. A `\r` right before the `\n` belongs to the terminator: it is not read, and
 * stays when neighbouring lines change. Offsets are UTF-16 units.
 */

/** One line of a text: its content is [from, to), its terminator (`\n`, `\r\n` or nothing) is [to, end). */
export interface Line {
  readonly from: number;
  readonly to: number;
  readonly end: number;
  /** Returns the content, without terminator. */
  readonly text: string;
}

/** A line terminator. A lone `\r` ends no line. */
export type LineEnd = "\n" | "\r\n";

const newline = 10;
const carriageReturn = 13;

/** The number of lines; 0 for the empty text. */
export function lineCount(text: string): number {
  if (text.length === 0) return 0;
  const terminated = newlineCount(text);
  return endsWithNewline(text) ? terminated : terminated + 1;
}

/** All lines, in order. */
export function splitLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  let from = 0;
  while (from < text.length) {
    const line = lineFrom(text, from);
    lines.push(line);
    from = line.end;
  }
  return lines;
}

/** Returns the offset at which each line begins, in order, without building the lines. */
export function lineStarts(text: string): Int32Array {
  // A typed array: growing a plain list of this length costs more than finding the lines.
  let room = 16 + (text.length >>> 5);
  let starts = new Int32Array(room);
  let count = 0;
  let from = 0;
  while (from < text.length) {
    if (count === room) {
      room *= 2;
      const larger = new Int32Array(room);
      larger.set(starts);
      starts = larger;
    }
    starts[count] = from;
    count += 1;
    const found = text.indexOf("\n", from);
    if (found === -1) break;
    from = found + 1;
  }
  return starts.subarray(0, count);
}

/** Returns the line that begins at `from`, which is the start of a line and before the end of the text. */
export function lineFrom(text: string, from: number): Line {
  const found = text.indexOf("\n", from);
  if (found === -1) return { from, to: text.length, end: text.length, text: text.slice(from) };
  const to = found > from && text.charCodeAt(found - 1) === carriageReturn ? found - 1 : found;
  return { from, to, end: found + 1, text: text.slice(from, to) };
}

/**
 * Returns the number of the line that contains an offset, from 0, given the result of `lineStarts`. An offset at the end of
 * a terminated text belongs to the last line; -1 for a text without lines.
 */
export function lineAt(starts: Int32Array, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the terminator for new lines: the one that most terminated lines have, `\n` on a tie. */
export function prevailingLineEnd(text: string): LineEnd {
  if (!text.includes("\r")) return "\n";
  let both = 0;
  let all = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    all += 1;
    if (at > 0 && text.charCodeAt(at - 1) === carriageReturn) both += 1;
  }
  return both * 2 > all ? "\r\n" : "\n";
}

/** Four hex digits of a line's text, for anchors: FNV-1a over its UTF-16 units, low byte first, folded to 16 bits. */
export function lineHash(text: string): string {
  const hash = fnv1a(text);
  const folded = ((hash >>> 16) ^ hash) & 0xffff;
  return folded.toString(16).padStart(4, "0");
}

/** Counts the `\n` of the text. */
export function newlineCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function endsWithNewline(text: string): boolean {
  return text.charCodeAt(text.length - 1) === newline;
}
