import { assert, must } from "../../base/assert.ts";
import { prevailingLineEnd, type LineEnd } from "../../base/lines.ts";
import type { TextChange } from "../../text/types.ts";
import { diffLines } from "./line-diff.ts";
import { trimChange } from "./text-change.ts";
import { lineBounds, lineOf, lineOffset, lineText, type TextLines } from "./text-lines.ts";

/** Replaces lines [start, end), 0-based, by `lines`, which have no terminators. An empty range inserts before `start`. */
export interface LineReplacement {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Whether the resulting text ends in a newline. An empty last line always does: without the newline it would not be a line.
 * The empty text counts as terminated.
 */
export type FinalNewline = "keep" | "present" | "absent";

/**
 * Converts line replacements to the smallest text changes. Replacements refer to the original lines, are sorted by `start`
 * and do not overlap; several insertions at one place keep their order. New lines take the text's prevailing line end; a
 * line that replaces one line keeps that line's own.
 */
export function lineChanges(
  lines: TextLines,
  replacements: readonly LineReplacement[],
  finalNewline: FinalNewline = "keep",
): readonly TextChange[] {
  const { text, starts } = lines;
  const document = { text, starts, lineEnd: prevailingLineEnd(text) };
  const pieces: LineReplacement[] = [];
  for (const replacement of replacements) splitReplacement(document, replacement, pieces);
  const terminated = text === "" || text.endsWith("\n");
  const changes: TextChange[] = [];
  if (terminated && finalNewline !== "absent") {
    for (const piece of pieces) pushChange(changes, document, innerChange(document, piece));
    return changes;
  }
  const { inner, tail } = splitTail(pieces, document.starts.length);
  for (const piece of inner) pushChange(changes, document, innerChange(document, piece));
  pushChange(
    changes,
    document,
    tailChange(document, tail, finalNewline === "present" || (finalNewline === "keep" && terminated)),
  );
  return changes;
}

interface Document extends TextLines {
  readonly lineEnd: LineEnd;
}

function pushChange(changes: TextChange[], document: Document, change: TextChange): void {
  const last = changes.at(-1);
  assert(last === undefined || last.to <= change.from, "line replacements are sorted and do not overlap");
  const trimmed = trimChange(document.text, change);
  if (trimmed !== undefined) changes.push(trimmed);
}

/** Skips lines that stay equal within a replacement and splits a replacement line by line; adds the pieces to `pieces`. */
function splitReplacement(document: Document, replacement: LineReplacement, pieces: LineReplacement[]): void {
  const { start, end, lines } = replacement;
  assert(start >= 0 && start <= end && end <= document.starts.length, "a replacement lies within the text");
  if (start === end || lines.length === 0) {
    if (start < end || lines.length > 0) pieces.push(replacement);
    return;
  }
  const old: string[] = [];
  for (let index = start; index < end; index += 1) old.push(lineText(document, index));
  for (const run of diffLines(old, lines)) {
    const { oldStart, oldEnd, newStart, newEnd } = run;
    if (newEnd - newStart !== oldEnd - oldStart) {
      pieces.push({ start: start + oldStart, end: start + oldEnd, lines: lines.slice(newStart, newEnd) });
      continue;
    }
    for (let index = 0; index < newEnd - newStart; index += 1) {
      const at = start + oldStart + index;
      pieces.push({ start: at, end: at + 1, lines: lines.slice(newStart + index, newStart + index + 1) });
    }
  }
}

/** A replacement in which every line keeps or gets a terminator. */
function innerChange(document: Document, piece: LineReplacement): TextChange {
  const [only] = piece.lines;
  if (only !== undefined && piece.lines.length === 1 && piece.end === piece.start + 1) {
    return { ...lineBounds(document, piece.start), insert: only };
  }
  let insert = "";
  for (const line of piece.lines) insert += line + document.lineEnd;
  return { from: lineOffset(document, piece.start), to: lineOffset(document, piece.end), insert };
}

/** Separates the pieces that decide the text's last line from the others; contiguous pieces at the end become one. */
function splitTail(
  pieces: readonly LineReplacement[],
  count: number,
): { readonly inner: readonly LineReplacement[]; readonly tail: LineReplacement } {
  let tail: LineReplacement = { start: count, end: count, lines: [] };
  let index = pieces.length;
  for (; index > 0; index -= 1) {
    const piece = must(pieces[index - 1], "the index is within the list");
    const decides = piece.end === tail.start && (tail.start === count || tail.lines.length === 0);
    if (!decides) break;
    tail = { start: piece.start, end: tail.end, lines: [...piece.lines, ...tail.lines] };
  }
  return { inner: pieces.slice(0, index), tail };
}

function tailChange(document: Document, tail: LineReplacement, terminate: boolean): TextChange {
  const { text, lineEnd } = document;
  const last = tail.lines.at(-1);
  if (last !== undefined) {
    const from = lineOffset(document, tail.start);
    const glue = from === text.length && text !== "" && !text.endsWith("\n") ? lineEnd : "";
    return {
      from,
      to: text.length,
      insert: glue + tail.lines.join(lineEnd) + (terminate || last === "" ? lineEnd : ""),
    };
  }
  if (tail.start === 0) return { from: 0, to: text.length, insert: "" };
  const kept = lineOf(document, tail.start - 1);
  if (!terminate && kept.text !== "") return { from: kept.to, to: text.length, insert: "" };
  return { from: kept.end, to: text.length, insert: kept.to === kept.end ? lineEnd : "" };
}
