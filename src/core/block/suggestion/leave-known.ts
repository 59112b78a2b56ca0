import type { LineRun } from "../change/line-diff.ts";

/** Lines of an existing suggestion: `newLines` would replace [oldStart, oldEnd). */
export interface KnownLines {
  readonly oldStart: number;
  readonly oldEnd: number;
  /** With their terminators. */
  readonly newLines: readonly string[];
}

/** The rest of a run of changed lines, and the known parts that were split off. */
export interface LeftOfRun<Known> {
  /** null: the whole run was known. */
  readonly rest: LineRun | null;
  readonly kept: readonly Known[];
}

/**
 * Splits off known, unchanged parts at both ends of a run, so that adjoining lines can be decided separately. A known part
 * in the middle of other changes remains in the run. `known` is in text order; the run has lines [newStart, newEnd) of
 * `newLines`.
 */
export function leaveKnown<Known extends KnownLines>(
  run: LineRun,
  known: readonly Known[],
  newLines: readonly string[],
): LeftOfRun<Known> {
  const kept: Known[] = [];
  let { oldStart, oldEnd, newStart, newEnd } = run;
  const isAt = ({ newLines: own }: Known, at: number): boolean =>
    own.length <= newEnd - newStart && own.every((line, index) => line === newLines[at + index]);
  for (const one of known) {
    if (one.oldStart !== oldStart || one.oldEnd > oldEnd || !isAt(one, newStart)) continue;
    kept.push(one);
    oldStart = one.oldEnd;
    newStart += one.newLines.length;
  }
  for (const one of known.toReversed()) {
    if (one.oldEnd !== oldEnd || one.oldStart < oldStart || kept.includes(one)) continue;
    // Insertions at one place keep the order in which they were suggested: nothing precedes a known one.
    if (oldStart === oldEnd || !isAt(one, newEnd - one.newLines.length)) continue;
    kept.push(one);
    oldEnd = one.oldStart;
    newEnd -= one.newLines.length;
  }
  const isNothing = oldStart === oldEnd && newStart === newEnd;
  return { rest: isNothing ? null : { oldStart, oldEnd, newStart, newEnd }, kept };
}
