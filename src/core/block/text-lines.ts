import { must } from "../base/assert.ts";
import { lineFrom, lineStarts, type Line } from "../base/lines.ts";

/** A text with the offsets at which its lines begin, found once for all that looks at its lines. */
export interface TextLines {
  readonly text: string;
  readonly starts: Int32Array;
}

export function textLines(text: string): TextLines {
  return { text, starts: lineStarts(text) };
}

/** A line of the text, by number from 0. */
export function lineOf(lines: TextLines, index: number): Line {
  return lineFrom(lines.text, must(lines.starts[index], "the line is within the text"));
}

/** Where the content of a line, by number from 0, begins and ends; without taking it out of the text. */
export function lineBounds({ text, starts }: TextLines, index: number): { readonly from: number; readonly to: number } {
  const from = must(starts[index], "the line is within the text");
  const next = starts[index + 1];
  let to = next === undefined ? (text.endsWith("\n") ? text.length - 1 : text.length) : next - 1;
  if (to > from && to < text.length && text.charCodeAt(to - 1) === carriageReturn) to -= 1;
  return { from, to };
}

/** Where a line begins; the text's length for the line after the last. */
export function lineOffset(lines: TextLines, index: number): number {
  return lines.starts[index] ?? lines.text.length;
}

/** Whether a line of the text, by number from 0, is `wanted`; without taking it out of the text. */
export function isLine({ text, starts }: TextLines, index: number, wanted: string): boolean {
  const from = must(starts[index], "the line is within the text");
  if (!text.startsWith(wanted, from)) return false;
  const to = from + wanted.length;
  if (to === text.length) return true;
  const after = text.charCodeAt(to);
  // A carriage return right above the newline is the terminator's.
  if (after === newline) return to === from || text.charCodeAt(to - 1) !== carriageReturn;
  return after === carriageReturn && text.charCodeAt(to + 1) === newline;
}

const newline = 10;
const carriageReturn = 13;
