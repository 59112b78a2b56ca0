import { refusal, type Refusal } from "../../base/errors.ts";
import { splitLines } from "../../base/lines.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { TextChange } from "../../text/types.ts";
import { resolveAnchor, type LineBase } from "./anchor.ts";
import { lineChanges, type LineReplacement } from "../change/line-changes.ts";
import { trimChange } from "../change/text-change.ts";
import { lineOf, lineOffset, textLines, type TextLines } from "../change/text-lines.ts";

/**
 * One operation of `block_edit`. Lines count from 0 and ends are exclusive, or from 1 with ends included, as the caller's
 * `LineBase` says; all operations of a batch refer to the original text. An anchor (`N:hash`, `N:hash..M:hash`, both lines included) can replace the numbers. `content` is whole lines; a
 * newline at its end belongs to the last line and adds nothing; empty content is no line.
 */
export type LineOperation =
  | {
      readonly op: "insert";
      /** Insert before this line; the line after the last one inserts at the end. */
      readonly line?: number | undefined;
      readonly anchor?: string | undefined;
      readonly content: string;
    }
  | {
      readonly op: "delete";
      readonly start_line?: number | undefined;
      readonly end_line?: number | undefined;
      readonly anchor?: string | undefined;
      readonly expected_text?: string | undefined;
    }
  | {
      readonly op: "replace";
      readonly start_line?: number | undefined;
      readonly end_line?: number | undefined;
      readonly anchor?: string | undefined;
      readonly content: string;
      /** The expected lines joined by `\n`; compared exactly before anything is changed. */
      readonly expected_text?: string | undefined;
    };

/**
 * Plans a batch of line edits, all or none; lines count from 0 and ends are exclusive. Keeps the final newline or its absence;
 * an empty text becomes exactly the inserted text; a batch without effect returns no changes. Refuses with INVALID_PARAMS,
 * LINE_OUT_OF_RANGE, CONTENT_MISMATCH, OVERLAPPING_OPERATIONS, a refusal of its anchor, TEXT_MALFORMED, or BLOCK_TOO_LARGE
 * when the text would exceed `unitsMax` UTF-16 units; `op_index` in the details names the operation.
 */
export function planLineEdits(
  text: string,
  operations: readonly LineOperation[],
  unitsMax = Infinity,
): Result<readonly TextChange[], Refusal> {
  return planLineEditsFrom(0, { text, operations, unitsMax });
}

/** The same for either numbering: from 1, ends are included. Refusals use the caller's numbers. */
export function planLineEditsFrom(
  base: LineBase,
  {
    text,
    operations,
    unitsMax,
  }: { readonly text: string; readonly operations: readonly LineOperation[]; readonly unitsMax: number },
): Result<readonly TextChange[], Refusal> {
  const lines = textLines(text);
  const located: LocatedOperation[] = [];
  for (const [index, operation] of operations.entries()) {
    const result = isWhole(operation) ? locate(lines, operation, base) : err(refusal("TEXT_MALFORMED"));
    if (!result.ok) return err(atOperation(result.error, index));
    located.push({ ...result.value, index });
  }
  // Insertions at a line precede a replacement of that line; otherwise the order of the batch applies.
  const effective = located.filter((operation) => operation.end > operation.start || operation.content !== "");
  const sorted = effective.toSorted((a, b) => a.start - b.start || Number(a.end > a.start) - Number(b.end > b.start));
  const overlap = findOverlap(sorted, base);
  if (overlap !== undefined) return err(overlap);
  const changes = text === "" ? insertIntoEmpty(sorted) : lineChanges(lines, sorted.map(lineReplacement));
  const length = changes.reduce((sum, { from, to, insert }) => sum + insert.length - (to - from), text.length);
  return length > text.length && length > unitsMax ? err(tooLong({ lines, located, length, unitsMax })) : ok(changes);
}

/** Whether an operation contains whole characters only. */
function isWhole(operation: LineOperation): boolean {
  return operation.op === "delete" || operation.content.isWellFormed();
}

interface LineRange {
  readonly start: number;
  readonly end: number;
}

interface LocatedOperation extends LineRange {
  readonly content: string;
  readonly index: number;
}

function locate(
  lines: TextLines,
  operation: LineOperation,
  base: LineBase,
): Result<Omit<LocatedOperation, "index">, Refusal> {
  if (operation.op === "insert") {
    const line = insertionLine(lines, operation, base);
    return line.ok ? ok({ start: line.value, end: line.value, content: operation.content }) : line;
  }
  const range = operationRange(lines, operation, base);
  if (!range.ok) return range;
  const mismatch = compareExpected(lines, range.value, { expected: operation.expected_text, base });
  if (mismatch !== undefined) return err(mismatch);
  return ok({ ...range.value, content: operation.op === "replace" ? operation.content : "" });
}

function insertionLine(
  lines: TextLines,
  operation: Extract<LineOperation, { op: "insert" }>,
  base: LineBase,
): Result<number, Refusal> {
  const { anchor, line } = operation;
  if (anchor !== undefined) {
    if (line !== undefined) return err(oneAddress("line"));
    const range = resolveAnchor(lines, anchor, base);
    return range.ok ? ok(range.value.start) : range;
  }
  if (!isLineNumber(line, base)) return err(notALine("line", line, base));
  const max = lines.starts.length + base;
  return line > max ? err(refusal("LINE_OUT_OF_RANGE", { requested: line, max })) : ok(line - base);
}

function operationRange(
  lines: TextLines,
  operation: Exclude<LineOperation, { op: "insert" }>,
  base: LineBase,
): Result<LineRange, Refusal> {
  const { anchor, start_line: start, end_line: end } = operation;
  if (anchor !== undefined) {
    return start === undefined && end === undefined
      ? resolveAnchor(lines, anchor, base)
      : err(oneAddress("start_line and end_line"));
  }
  if (!isLineNumber(start, base)) return err(notALine("start_line", start, base));
  if (!isLineNumber(end, base)) return err(notALine("end_line", end, base));
  if (end < start) {
    return err(
      refusal("INVALID_PARAMS", {
        path: "end_line",
        expected: base === 0 ? "at least start_line; it is exclusive" : "at least start_line; it is included",
        start_line: start,
        end_line: end,
      }),
    );
  }
  const max = lines.starts.length;
  // The number of an included end from 1 is that of an exclusive end from 0.
  return end > max
    ? err(refusal("LINE_OUT_OF_RANGE", { requested: start > max ? start : end, max }))
    : ok({ start: start - base, end });
}

function compareExpected(
  lines: TextLines,
  range: LineRange,
  { expected, base }: { readonly expected: string | undefined; readonly base: LineBase },
): Refusal | undefined {
  if (expected === undefined) return undefined;
  const actual = linesText(lines, range);
  // Reading shows no carriage returns, so the expected text may have them or not.
  if (actual === expected || actual === expected.replaceAll("\r\n", "\n")) return undefined;
  const facts = { expected, actual, start_line: range.start + base, end_line: range.end };
  return expected === `${actual}\n`
    ? refusal(
        "CONTENT_MISMATCH",
        facts,
        "The expected text ends in one newline too many: the text has no blank line there, so nothing was changed. Remove the last newline and try again.",
      )
    : refusal("CONTENT_MISMATCH", facts);
}

/** Returns lines [start, end) joined by `\n`, without the last terminator, for comparison with `expected_text`. */
function linesText(lines: TextLines, range: LineRange): string {
  const wanted: string[] = [];
  for (let index = range.start; index < range.end; index += 1) wanted.push(lineOf(lines, index).text);
  return wanted.join("\n");
}

function findOverlap(sorted: readonly LocatedOperation[], base: LineBase): Refusal | undefined {
  let before: LocatedOperation | undefined;
  for (const operation of sorted) {
    if (before !== undefined && operation.start < before.end) {
      const [first, second] = before.index < operation.index ? [before, operation] : [operation, before];
      return refusal("OVERLAPPING_OPERATIONS", {
        op_index: second.index,
        other_op_index: first.index,
        start_line: operation.start + base,
        end_line: Math.max(operation.start, Math.min(operation.end, before.end)),
      });
    }
    if (before === undefined || operation.end > before.end) before = operation;
  }
  return undefined;
}

function lineReplacement({ start, end, content }: LocatedOperation): LineReplacement {
  return { start, end, lines: splitLines(content).map((line) => line.text) };
}

/** Finds the first operation of the batch that makes the text too long; the last operation when only line ends do. */
function tooLong(batch: {
  readonly lines: TextLines;
  readonly located: readonly LocatedOperation[];
  readonly length: number;
  readonly unitsMax: number;
}): Refusal {
  const { lines, located, length, unitsMax } = batch;
  let units = lines.text.length;
  const first = located.find(({ start, end, content }) => {
    units += content.length - (lineOffset(lines, end) - lineOffset(lines, start));
    return units > unitsMax;
  });
  const opIndex = first?.index ?? located.length - 1;
  return refusal("BLOCK_TOO_LARGE", { actual: length, max: unitsMax, op_index: opIndex });
}

function insertIntoEmpty(operations: readonly LocatedOperation[]): readonly TextChange[] {
  const contents = operations.map((operation) => operation.content).filter((content) => content !== "");
  const insert = contents
    .map((content, index) => (index < contents.length - 1 && !content.endsWith("\n") ? `${content}\n` : content))
    .join("");
  const change = trimChange("", { from: 0, to: 0, insert });
  return change === undefined ? [] : [change];
}

function isLineNumber(value: number | undefined, base: LineBase): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= base;
}

function notALine(path: string, actual: number | undefined, base: LineBase): Refusal {
  return refusal("INVALID_PARAMS", {
    path,
    expected: `a whole number from ${base}, or an anchor instead`,
    actual: actual ?? null,
  });
}

function oneAddress(numbers: string): Refusal {
  return refusal("INVALID_PARAMS", { path: "anchor", expected: `either an anchor or ${numbers}, not both` });
}

function atOperation(error: Refusal, index: number): Refusal {
  return { ...error, details: { ...error.details, op_index: index } };
}
