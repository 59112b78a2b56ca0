import { must } from "../../base/assert.ts";
import { counted } from "../../base/counted.ts";
import { refusal, type Refusal } from "../../base/errors.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortened } from "../../base/shortened.ts";
import type { TextChange } from "../../text/types.ts";
import { textLines } from "../change/text-lines.ts";
import { lineChanges, type FinalNewline, type LineReplacement } from "../change/line-changes.ts";
import { createLineFinder, type LineFinder } from "./locate.ts";
import { parsePatch } from "./parse.ts";
import { boundShownLines, boundVerdicts, linesShownMax } from "./shown-lines.ts";
import type { Hunk, HunkLine, HunkPlaced, HunkRejected, HunkVerdict, PatchWarning } from "./types.ts";

/** A patch that applies, as changes against the text it was planned for. */
export interface PatchPlan {
  readonly changes: readonly TextChange[];
  readonly appliedHunks: number;
  /** For each hunk, the distance between the line of its header and its place. */
  readonly offsets: readonly number[];
  readonly verdicts: readonly HunkPlaced[];
  readonly warnings: readonly PatchWarning[];
}

/**
 * Plans a unified diff, all hunks or none. The old lines of each hunk must be in the text exactly (except line ends), at the
 * line of its header or at exactly one other place; hunks may come in any order but not overlap. Refuses with PATCH_REJECTED
 * and a verdict for each hunk in `details.hunks`.
 */
export function planPatch(text: string, patch: string): Result<PatchPlan, Refusal> {
  const parsed = parsePatch(patch);
  if (!parsed.ok) {
    const { code, line, reason } = parsed.error;
    const message = `The patch could not be read at its line ${line}: ${reason}. Nothing was changed.`;
    return err(refusal("PATCH_REJECTED", { reason: code, patch_line: line, hunks: [] }, message));
  }
  const { hunks, warnings } = parsed.value;
  const lines = textLines(text);
  const finder = createLineFinder(lines, () => hunks.map(oldLinesOf), placesShownMax + 1);
  const verdicts = rejectOverlaps(
    hunks.map((hunk, index) => judgeHunk(finder, hunk, index + 1)),
    hunks,
  );
  const placed = verdicts.filter((verdict) => verdict.ok);
  if (placed.length < verdicts.length) {
    return err(
      rejection(
        verdicts.filter((verdict) => !verdict.ok),
        verdicts,
        warnings,
      ),
    );
  }
  return ok({
    changes: lineChanges(lines, replacements(hunks, placed), finalNewline(finder, hunks, placed)),
    appliedHunks: placed.length,
    offsets: placed.map((verdict) => verdict.offset),
    verdicts: placed,
    warnings,
  });
}

function oldLinesOf({ lines }: Hunk): readonly string[] {
  const old: string[] = [];
  for (const { type, text } of lines) if (type !== "added") old.push(text);
  return old;
}

/** `number` is the hunk's number, from 1. */
function judgeHunk(finder: LineFinder, hunk: Hunk, number: number): HunkVerdict {
  const verdict = locateHunk(finder, hunk, number);
  const line = verdict.ok
    ? (appliedAt(finder, hunk, verdict.line - 1) ?? newLinesAt(finder, hunk, verdict))
    : undefined;
  if (line === undefined) return verdict;
  const message = `Hunk ${number} adds lines that are already there, at line ${line}: it seems to be applied. Leave it out; to add them a second time, give context lines on both sides.`;
  return { hunk: number, ok: false, code: "ALREADY_APPLIED", line, message };
}

/**
 * Returns where the lines are that an insertion would add, when its context is on one side only and they are already at
 * the text's beginning or end. Blank lines are often meant twice.
 */
function appliedAt(finder: LineFinder, { lines, oldCount }: Hunk, place: number): number | undefined {
  const added = lines.filter(({ type }) => type === "added");
  const isInsertion = added.length > 0 && oldCount > 0 && added.length + oldCount === lines.length;
  if (!isInsertion || lines.some(({ type }) => type === "deleted") || added.every(({ text }) => text.trim() === "")) {
    return undefined;
  }
  const isThere = (start: number): boolean => finder.fittingLines(added.map(asContext), start) === added.length;
  const isAddedFirst = lines.slice(0, added.length).every(({ type }) => type === "added");
  if (isAddedFirst) return place === added.length && isThere(0) ? 1 : undefined;
  const isAddedLast = lines.slice(oldCount).every(({ type }) => type === "added");
  const end = place + oldCount;
  return isAddedLast && end + added.length === finder.lineCount && isThere(end) ? end + 1 : undefined;
}

/**
 * Returns where a hunk's new lines are, all of them, at the line where its header says that they go; its old lines are
 * not at theirs, and once more elsewhere.
 */
function newLinesAt(finder: LineFinder, { lines, newStart }: Hunk, { offset }: HunkPlaced): number | undefined {
  if (offset === 0 || newStart === undefined) return undefined;
  if (!lines.some(({ type, text }) => type === "added" && text.trim() !== "")) return undefined;
  const fresh = lines.filter(({ type }) => type !== "deleted").map(asContext);
  return finder.fittingLines(fresh, newStart - 1) === fresh.length ? newStart : undefined;
}

function asContext({ text }: HunkLine): HunkLine {
  return { type: "context", text };
}

/** `number` is the hunk's number, from 1. */
function locateHunk(finder: LineFinder, hunk: Hunk, number: number): HunkVerdict {
  const { oldCount } = hunk;
  if (changesNothing(hunk)) {
    const message = `Hunk ${number} changes nothing. Leave it out, or give it + and - lines.`;
    return { hunk: number, ok: false, code: "EMPTY_HUNK", message };
  }
  if (oldCount === 0) {
    if (finder.lineCount === 0) return { hunk: number, ok: true, line: 1, offset: 0 };
    const message = `Hunk ${number} has no line of the current text, so its place is unknown. Add context lines (three are best).`;
    return { hunk: number, ok: false, code: "NO_CONTEXT", message };
  }
  const hint = hunk.oldStart === undefined ? undefined : hunk.oldStart - 1;
  const fits = (start: number): boolean => start >= 0 && endFits(finder, hunk, start + oldCount);
  if (hint !== undefined && fits(hint) && finder.fittingLines(hunk.lines, hint) === oldCount) {
    return { hunk: number, ok: true, line: hint + 1, offset: 0 };
  }
  // A marker fixes the hunk at the end of the text.
  const found = marked(hunk)
    ? [finder.lineCount - oldCount].filter(
        (start) => fits(start) && finder.fittingLines(hunk.lines, start) === oldCount,
      )
    : finder.find(number - 1);
  const [place, ...others] = found;
  if (place === undefined) return noMatch(finder, hunk, number);
  if (others.length === 0)
    return { hunk: number, ok: true, line: place + 1, offset: hint === undefined ? 0 : place - hint };
  return ambiguous(finder, { number, oldCount, found });
}

const placesShownMax = 10;

interface FoundPlaces {
  readonly number: number;
  readonly oldCount: number;
  readonly found: readonly number[];
}

function ambiguous(finder: LineFinder, { number, oldCount, found }: FoundPlaces): HunkRejected {
  const lines = found.slice(0, placesShownMax).map((start) => start + 1);
  const more = found.length > placesShownMax ? " and more" : "";
  const first = must(found[0], "several places were found");
  return {
    hunk: number,
    ok: false,
    code: "AMBIGUOUS",
    lines,
    actual_lines: linesAt(finder, first, oldCount),
    message: `Hunk ${number} fits at lines ${lines.join(", ")}${more}. Give the right line in its header, or more context lines.`,
  };
}

function noMatch(finder: LineFinder, hunk: Hunk, number: number): HunkRejected {
  const oldLines = oldLinesOf(hunk);
  const hint = hunk.oldStart === undefined ? undefined : hunk.oldStart - 1;
  const near =
    finder.nearest(number - 1) ?? (hint !== undefined && hint >= 0 && hint < finder.lineCount ? hint : undefined);
  if (near === undefined) {
    return {
      hunk: number,
      ok: false,
      code: "NO_MATCH",
      line: null,
      expected: oldLines[0] ?? "",
      actual: null,
      actual_lines: [],
      message: finder.occurs(number - 1)
        ? `Hunk ${number} fits nowhere: its lines occur in the text, but not together. Read the place, copy the actual lines with three lines of context, and send the patch again.`
        : `Hunk ${number}: none of its lines is in the text, which has ${finder.lineCount} lines. Read it and write a new patch.`,
    };
  }
  const fitting = finder.fittingLines(hunk.lines, near);
  const base = {
    hunk: number,
    ok: false,
    code: "NO_MATCH",
    line: near + 1,
    actual_lines: linesAt(finder, near, oldLines.length),
  } as const;
  const last = oldLines.at(-1) ?? "";
  if (fitting === oldLines.length) {
    const actual =
      near + fitting < finder.lineCount
        ? "more lines follow"
        : finder.unterminated
          ? "no newline at the end"
          : "a newline at the end";
    const message = `Hunk ${number} fits at line ${near + 1}, but its "No newline" marker does not match the end of the text: ${actual}.`;
    return { ...base, expected: last, actual: last, message };
  }
  const expected = must(oldLines[fitting], "not all lines fit");
  const at = near + fitting;
  const actual = at < finder.lineCount ? finder.lineText(at) : null;
  const there = actual === null ? "the text has ended" : `there is ${quoted(actual)}`;
  return {
    ...base,
    expected,
    actual,
    message: `Hunk ${number} fits nowhere. The nearest place is line ${near + 1}, but at line ${at + 1} ${there}, not ${quoted(expected)}. Copy the actual lines and send the patch again.`,
  };
}

const quotedUnitsMax = 200;

function quoted(line: string): string {
  return JSON.stringify(shortened(line, quotedUnitsMax));
}

function linesAt(finder: LineFinder, start: number, count: number): readonly string[] {
  const end = Math.min(finder.lineCount, start + Math.min(count, linesShownMax));
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => finder.lineText(start + index));
}

function changesNothing(hunk: Hunk): boolean {
  const { lines, oldUnterminated, newUnterminated } = hunk;
  if (oldUnterminated !== newUnterminated) return false;
  // The index of the next line of the new side, advanced in parallel with the old side; stops at the first difference.
  let fresh = 0;
  for (const { type, text } of lines) {
    if (type === "added") continue;
    while (lines[fresh]?.type === "deleted") fresh += 1;
    if (lines[fresh]?.text !== text) return false;
    fresh += 1;
  }
  while (lines[fresh]?.type === "deleted") fresh += 1;
  return fresh === lines.length;
}

function marked(hunk: Hunk): boolean {
  return hunk.oldUnterminated || hunk.newUnterminated;
}

/** A marker is valid only at the end of the text; on the old side, only when the text has no final newline. */
function endFits(finder: LineFinder, hunk: Hunk, end: number): boolean {
  if (!marked(hunk)) return true;
  return end === finder.lineCount && (!hunk.oldUnterminated || finder.unterminated);
}

/** Refuses hunks that share a line; each later one names the earlier. */
function rejectOverlaps(verdicts: readonly HunkVerdict[], hunks: readonly Hunk[]): readonly HunkVerdict[] {
  if (areApart(verdicts, hunks)) return verdicts;
  const placed = verdicts.filter((verdict) => verdict.ok).toSorted((a, b) => a.line - b.line || a.hunk - b.hunk);
  const overlaps = new Map<number, HunkRejected>();
  let covered: { readonly hunk: number; readonly end: number } = { hunk: 0, end: 0 };
  for (const { hunk, line } of placed) {
    const length = must(hunks[hunk - 1], "one for each hunk").oldCount;
    // Two insertions into the empty text are at the same place.
    if (covered.hunk > 0 && (line < covered.end || length === 0)) {
      const [first, second] = [Math.min(hunk, covered.hunk), Math.max(hunk, covered.hunk)];
      const message = `Hunks ${first} and ${second} both cover line ${line}. Combine them into one.`;
      overlaps.set(second, { hunk: second, ok: false, code: "OVERLAP", other_hunk: first, line, message });
    }
    if (line + length > covered.end) covered = { hunk, end: line + length };
  }
  return verdicts.map((verdict) => overlaps.get(verdict.hunk) ?? verdict);
}

/** Whether all hunks have places, in text order and without a shared line: the usual case, decided quickly. */
function areApart(verdicts: readonly HunkVerdict[], hunks: readonly Hunk[]): verdicts is readonly HunkPlaced[] {
  let end = 0;
  return verdicts.every((verdict, index) => {
    const { oldCount } = must(hunks[index], "a verdict for each hunk");
    if (!verdict.ok || verdict.line <= end || oldCount === 0) return false;
    end = verdict.line + oldCount - 1;
    return true;
  });
}

/** Returns the runs of changed lines of all hunks, in text order, without context. */
function replacements(hunks: readonly Hunk[], placed: readonly HunkPlaced[]): readonly LineReplacement[] {
  const runs: LineReplacement[] = [];
  for (const { hunk, line } of placed.toSorted((a, b) => a.line - b.line)) {
    let at = line - 1;
    let start = at;
    let added: string[] = [];
    const close = (): void => {
      if (at === start && added.length === 0) return;
      runs.push({ start, end: at, lines: added });
      added = [];
    };
    for (const { type, text } of must(hunks[hunk - 1], "verdicts count hunks from 1").lines) {
      if (type === "added") {
        added.push(text);
      } else if (type === "deleted") {
        at += 1;
      } else {
        close();
        at += 1;
        start = at;
      }
    }
    close();
  }
  return runs;
}

/** Returns what the hunks' markers say about the final newline; without a marker it does not change. */
function finalNewline(finder: LineFinder, hunks: readonly Hunk[], placed: readonly HunkPlaced[]): FinalNewline {
  for (const { hunk } of placed) {
    const { oldUnterminated, newUnterminated } = must(hunks[hunk - 1], "verdicts count hunks from 1");
    if (newUnterminated) return "absent";
    if (oldUnterminated) return "present";
  }
  return finder.lineCount === 0 ? "present" : "keep";
}

function rejection(
  rejected: readonly HunkRejected[],
  hunks: readonly HunkVerdict[],
  warnings: readonly PatchWarning[],
): Refusal {
  const sentences = rejected.slice(0, 3).map((verdict) => verdict.message);
  const rest =
    rejected.length > 3
      ? [`${counted(rejected.length - 3, "more hunk")} ${rejected.length === 4 ? "does" : "do"} not fit either.`]
      : [];
  const shown = boundVerdicts(hunks);
  const left = hunks.length - shown.length;
  const message = ["The patch does not apply, so nothing was changed.", ...sentences, ...rest].join(" ");
  return refusal(
    "PATCH_REJECTED",
    {
      reason: must(rejected[0], "something was rejected").code,
      hunks: boundShownLines(shown),
      ...(left === 0 ? {} : { hunks_not_shown: left }),
      warnings: warnings.slice(0, shown.length),
    },
    message,
  );
}
