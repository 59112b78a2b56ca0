import { must } from "../../base/assert.ts";
import { isLine, lineOf, type TextLines } from "../change/text-lines.ts";
import { findRuns } from "./run-finder.ts";
import type { HunkLine } from "./types.ts";

/**
 * Finds places in a text for the hunks of one patch. A comparison at one place reads the text directly; the first query
 * about any place numbers the lines of the hunks and answers for all hunks at once.
 */
export interface LineFinder {
  readonly lineCount: number;
  readonly unterminated: boolean;
  lineText(index: number): string;
  /** Returns how many of a hunk's old lines match from `start` on, in order; all of them is a match. */
  fittingLines(hunk: readonly HunkLine[], start: number): number;
  /** Returns the first places of the old lines of the hunk with this number, as line numbers, ascending. */
  find(hunk: number): readonly number[];
  /** Whether any old line of the hunk with this number is in the text. */
  occurs(hunk: number): boolean;
  /** Returns the start at which most of its old lines are in place; undefined when none is. */
  nearest(hunk: number): number | undefined;
}

/** `runs` returns each hunk's old lines when first needed; empty runs are not searched. */
export function createLineFinder(
  lines: TextLines,
  runs: () => readonly (readonly string[])[],
  placesMax: number,
): LineFinder {
  const { text } = lines;
  const lineCount = lines.starts.length;
  let numbered: NumberedLines | undefined;
  let found: readonly (readonly number[])[] | undefined;
  let rarePlaces: RarePlaces | undefined;
  const numbers = (): NumberedLines => (numbered ??= numberLines(lines, runs()));

  function lineText(index: number): string {
    return lineOf(lines, index).text;
  }

  return {
    lineCount,
    unterminated: text !== "" && !text.endsWith("\n"),
    lineText,
    fittingLines(hunk, start) {
      let at = start;
      for (const line of hunk) {
        if (line.type === "added") continue;
        if (at >= lineCount || !isLine(lines, at, line.text)) break;
        at += 1;
      }
      return at - start;
    },
    find(run) {
      found ??= findRuns(numbers().text, numbers().runs, placesMax);
      return must(found[run], "every run was looked for");
    },
    occurs(run) {
      const wanted = new Set(must(numbers().runs[run], "every run is numbered"));
      return numbers().text.some((number) => wanted.has(number));
    },
    nearest(run) {
      rarePlaces ??= findRarePlaces(numbers().text);
      return nearestStart(must(numbers().runs[run], "every run is numbered"), rarePlaces);
    },
  };
}

/** Lines as numbers; equal lines have equal numbers. */
interface NumberedLines {
  /** 0 for a line that is in no run. */
  readonly text: Int32Array;
  readonly runs: readonly Int32Array[];
}

function numberLines(lines: TextLines, runs: readonly (readonly string[])[]): NumberedLines {
  const numberByLine = new Map<string, number>();
  const numberedRuns = runs.map((run) =>
    Int32Array.from(run, (line) => {
      const number = numberByLine.get(line) ?? numberByLine.size + 1;
      numberByLine.set(line, number);
      return number;
    }),
  );
  const text = Int32Array.from(lines.starts, (_, index) => numberByLine.get(lineOf(lines, index).text) ?? 0);
  return { text, runs: numberedRuns };
}

/** Returns the places of each number, ascending, for numbers with few places. */
type RarePlaces = ReadonlyMap<number, readonly number[]>;

/** A line with more places than this says little about the place of a hunk. */
const rareMax = 20;

function findRarePlaces(text: Int32Array): RarePlaces {
  const placesByNumber = new Map<number, number[]>();
  for (const [at, number] of text.entries()) {
    if (number === 0) continue;
    const places = placesByNumber.get(number);
    if (places === undefined) placesByNumber.set(number, [at]);
    else if (places.length <= rareMax) places.push(at);
  }
  for (const [number, places] of placesByNumber) if (places.length > rareMax) placesByNumber.delete(number);
  return placesByNumber;
}

/** Each line that is rare in the text votes for the start that would put it in place. */
function nearestStart(run: Int32Array, placesByNumber: RarePlaces): number | undefined {
  const votes = new Map<number, number>();
  let best: number | undefined;
  let most = 0;
  for (const [offset, number] of run.entries()) {
    const places = placesByNumber.get(number) ?? [];
    for (const place of places) {
      const start = place - offset;
      if (start < 0) continue;
      const weight = (votes.get(start) ?? 0) + 1 / places.length;
      votes.set(start, weight);
      if (weight <= most) continue;
      best = start;
      most = weight;
    }
  }
  return best;
}
