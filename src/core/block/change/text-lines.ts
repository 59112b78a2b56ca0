import { must } from "../../base/assert.ts";
import { lineFrom, lineStarts, type Line } from "../../base/lines.ts";

/** A text with the offsets of its lines, computed once for all uses. */
export interface TextLines {
  readonly text: string;
  readonly starts: Int32Array;
}

/** Computes where the lines of a text begin. */
export function textLines(text: string): TextLines {
  return { text, starts: lineStarts(text) };
}

/** Returns a line of the text, by number from 0. */
export function lineOf(lines: TextLines, index: number): Line {
  return lineFrom(lines.text, must(lines.starts[index], "the line is within the text"));
}

/** Returns the content of a line, by number from 0. */
export function lineText(lines: TextLines, index: number): string {
  const { from, to } = lineBounds(lines, index);
  return lines.text.slice(from, to);
}

/** Returns the range of a line's content, by number from 0, without slicing the text. */
export function lineBounds(lines: TextLines, index: number): { readonly from: number; readonly to: number } {
  const from = must(lines.starts[index], "the line is within the text");
  return { from, to: contentEnd(lines, index, from) };
}

/** Returns the offset of a line; the text's length for the line after the last. */
export function lineOffset(lines: TextLines, index: number): number {
  return lines.starts[index] ?? lines.text.length;
}

/** Whether a line of the text, by number from 0, is `wanted`. */
export function isLine({ text, starts }: TextLines, index: number, wanted: string): boolean {
  const from = must(starts[index], "the line is within the text");
  const end = from + wanted.length;
  const next = starts[index + 1];
  // Fast path: the newline usually follows directly; every other line end is searched.
  if (next !== end + 1 || text.charCodeAt(end - 1) === carriageReturn) {
    if (contentEnd({ text, starts }, index, from) !== end) return false;
  }
  // Comparing a slice takes half the time of `startsWith`.
  return text.slice(from, end) === wanted;
}

/** Returns the end of the content of the line that begins at `from`. */
function contentEnd({ text, starts }: TextLines, index: number, from: number): number {
  const next = index + 1 < starts.length ? (starts[index + 1] ?? 0) : text.endsWith("\n") ? text.length : undefined;
  if (next === undefined) return text.length;
  const to = next - 1;
  return to > from && text.charCodeAt(to - 1) === carriageReturn ? to - 1 : to;
}

const carriageReturn = 13;
