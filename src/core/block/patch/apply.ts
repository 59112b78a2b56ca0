import { must } from "../../base/assert.ts";
import { refusal, type Refusal } from "../../base/errors.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { TextChange } from "../../text/types.ts";
import { textLines } from "../text-lines.ts";
import { lineChanges, type FinalNewline, type LineReplacement } from "../line-changes.ts";
import { createLineFinder, type LineFinder } from "./locate.ts";
import { parsePatch } from "./parse.ts";
import { boundShownLines, linesShownMax } from "./shown-lines.ts";
import type { Hunk, HunkPlaced, HunkRejected, HunkVerdict, PatchWarning } from "./types.ts";

/** A patch that fits, as changes against the text it was planned for. */
export interface PatchPlan {
  readonly changes: readonly TextChange[];
  readonly appliedHunks: number;
  /** For each hunk, how far from the line of its header it was found. */
  readonly offsets: readonly number[];
  readonly verdicts: readonly HunkPlaced[];
  readonly warnings: readonly PatchWarning[];
}

/**
 * Plans a unified diff against a text: every hunk's old lines must stand there byte for byte (line ends aside), at the
 * header's line or at exactly one place; hunks may come in any order but not overlap; all of them or none. A refusal is
 * PATCH_REJECTED and holds a verdict for each hunk.
 */
export function planPatch(text: string, patch: string): Result<PatchPlan, Refusal> {
  const parsed = parsePatch(patch);
  if (!parsed.ok) {
    const { code, line, reason } = parsed.error;
    const message = `The patch could not be read at its line ${line}: ${reason}. Nothing was changed.`;
    return err(refusal("PATCH_REJECTED", { reason: code, patch_line: line, hunks: [] }, message));
  }
  const { hunks, warnings } = parsed.value;
  const oldLines = hunks.map(oldLinesOf);
  const lines = textLines(text);
  const finder = createLineFinder(lines, oldLines, placesShownMax + 1);
  const verdicts = rejectOverlaps(
    hunks.map((hunk, index) =>
      locateHunk(finder, hunk, { number: index + 1, oldLines: must(oldLines[index], "one for each hunk") }),
    ),
    oldLines,
  );
  const rejected = verdicts.filter((verdict) => !verdict.ok);
  const placed = verdicts.filter((verdict) => verdict.ok);
  if (rejected.length > 0) return err(rejection(rejected, verdicts, warnings));
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

interface HunkSearch {
  /** The hunk's number, from 1. */
  readonly number: number;
  readonly oldLines: readonly string[];
}

function locateHunk(finder: LineFinder, hunk: Hunk, search: HunkSearch): HunkVerdict {
  const { number, oldLines } = search;
  if (changesNothing(hunk)) {
    const message = `Hunk ${number} changes nothing; leave it out or give it + and - lines.`;
    return { hunk: number, ok: false, code: "EMPTY_HUNK", message };
  }
  if (oldLines.length === 0) {
    if (finder.lineCount === 0) return { hunk: number, ok: true, line: 1, offset: 0 };
    const message = `Hunk ${number} has no line of the text as it is, so its place is unknown; add context lines (three are best).`;
    return { hunk: number, ok: false, code: "NO_CONTEXT", message };
  }
  const hint = hunk.oldStart === undefined ? undefined : hunk.oldStart - 1;
  const fits = (start: number): boolean => start >= 0 && endFits(finder, hunk, start + oldLines.length);
  if (hint !== undefined && fits(hint) && finder.fittingLines(oldLines, hint) === oldLines.length) {
    return { hunk: number, ok: true, line: hint + 1, offset: 0 };
  }
  // A marker pins the hunk to the end of the text.
  const found = marked(hunk)
    ? [finder.lineCount - oldLines.length].filter(
        (start) => fits(start) && finder.fittingLines(oldLines, start) === oldLines.length,
      )
    : finder.find(number - 1);
  const [place, ...others] = found;
  if (place === undefined) return noMatch(finder, hunk, search);
  if (others.length === 0)
    return { hunk: number, ok: true, line: place + 1, offset: hint === undefined ? 0 : place - hint };
  return ambiguous(finder, search, found);
}

const placesShownMax = 10;

function ambiguous(finder: LineFinder, search: HunkSearch, found: readonly number[]): HunkRejected {
  const lines = found.slice(0, placesShownMax).map((start) => start + 1);
  const more = found.length > placesShownMax ? " and more" : "";
  const first = must(found[0], "several places were found");
  return {
    hunk: search.number,
    ok: false,
    code: "AMBIGUOUS",
    lines,
    actual_lines: linesAt(finder, first, search.oldLines.length),
    message: `Hunk ${search.number} fits at lines ${lines.join(", ")}${more}; give the right line in its header or more context lines.`,
  };
}

function noMatch(finder: LineFinder, hunk: Hunk, search: HunkSearch): HunkRejected {
  const { number, oldLines } = search;
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
      message: `Hunk ${number}: none of its lines is in the text, which has ${finder.lineCount} lines; read it and write a new patch.`,
    };
  }
  const fitting = finder.fittingLines(oldLines, near);
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
    const message = `Hunk ${number} fits at line ${near + 1} but for the end of the text that its "No newline" marker claims: ${actual}.`;
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
    message: `Hunk ${number} fits nowhere; nearest is line ${near + 1}, but at line ${at + 1} ${there}, not ${quoted(expected)}. Copy the actual lines and send the patch again.`,
  };
}

const quotedMax = 200;

function quoted(line: string): string {
  return JSON.stringify(line.length > quotedMax ? `${line.slice(0, quotedMax)}…` : line);
}

function linesAt(finder: LineFinder, start: number, count: number): readonly string[] {
  const end = Math.min(finder.lineCount, start + Math.min(count, linesShownMax));
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => finder.lineText(start + index));
}

function changesNothing(hunk: Hunk): boolean {
  const { lines, oldUnterminated, newUnterminated } = hunk;
  if (oldUnterminated !== newUnterminated) return false;
  // The next line of the new side, walked beside the old one; it ends at the first difference.
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

/** A marker holds only at the end of the text; the old side's only where the text indeed has no newline there. */
function endFits(finder: LineFinder, hunk: Hunk, end: number): boolean {
  if (!marked(hunk)) return true;
  return end === finder.lineCount && (!hunk.oldUnterminated || finder.unterminated);
}

/** Hunks that cover a line in common are refused, each later one naming the earlier. */
function rejectOverlaps(
  verdicts: readonly HunkVerdict[],
  oldLines: readonly (readonly string[])[],
): readonly HunkVerdict[] {
  const placed = verdicts.filter((verdict) => verdict.ok).toSorted((a, b) => a.line - b.line || a.hunk - b.hunk);
  const overlaps = new Map<number, HunkRejected>();
  let covered: { readonly hunk: number; readonly end: number } = { hunk: 0, end: 0 };
  for (const { hunk, line } of placed) {
    const length = must(oldLines[hunk - 1], "one for each hunk").length;
    // Two insertions into the empty text stand at the same place.
    if (covered.hunk > 0 && (line < covered.end || length === 0)) {
      const [first, second] = [Math.min(hunk, covered.hunk), Math.max(hunk, covered.hunk)];
      const message = `Hunks ${first} and ${second} both cover line ${line}; join them into one.`;
      overlaps.set(second, { hunk: second, ok: false, code: "OVERLAP", other_hunk: first, line, message });
    }
    if (line + length > covered.end) covered = { hunk, end: line + length };
  }
  return verdicts.map((verdict) => overlaps.get(verdict.hunk) ?? verdict);
}

/** The runs of changed lines of all hunks, in the text's order; context is not touched. */
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

/** What a hunk's markers say of the end of the text; without a marker it stays as it was. */
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
  const told = rejected.slice(0, 3).map((verdict) => verdict.message);
  const rest = rejected.length > 3 ? [`${rejected.length - 3} more hunks do not fit either.`] : [];
  const message = ["The patch does not fit; nothing was changed.", ...told, ...rest].join(" ");
  return refusal(
    "PATCH_REJECTED",
    { reason: must(rejected[0], "something was rejected").code, hunks: boundShownLines(hunks), warnings },
    message,
  );
}
