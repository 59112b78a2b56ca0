import type { LineRun } from "../change/line-diff.ts";

/** Lines that somebody has already said something of: [oldStart, oldEnd) would give way to `newLines`. */
export interface KnownLines {
  readonly oldStart: number;
  readonly oldEnd: number;
  /** With their terminators. */
  readonly newLines: readonly string[];
}

/** What is left of a run of changed lines, and what of it was known before. */
export interface LeftOfRun<Known> {
  /** null: all of it was known. */
  readonly rest: LineRun | null;
  readonly kept: readonly Known[];
}

/**
 * Takes from the two ends of a run what is known and still as it was, so that lines which only adjoin are not decided
 * about together. What is known in the middle of other changes is part of them. `known` is in the order of the text,
 * `newLines` are the lines of which the run has [newStart, newEnd).
 */
export function leaveKnown<Known extends KnownLines>(
  run: LineRun,
  known: readonly Known[],
  newLines: readonly string[],
): LeftOfRun<Known> {
  const kept: Known[] = [];
  let { oldStart, oldEnd, newStart, newEnd } = run;
  const stands = ({ newLines: own }: Known, at: number): boolean =>
    own.length <= newEnd - newStart && own.every((line, index) => line === newLines[at + index]);
  for (const one of known) {
    if (one.oldStart !== oldStart || one.oldEnd > oldEnd || !stands(one, newStart)) continue;
    kept.push(one);
    oldStart = one.oldEnd;
    newStart += one.newLines.length;
  }
  for (const one of known.toReversed()) {
    if (one.oldEnd !== oldEnd || one.oldStart < oldStart || kept.includes(one)) continue;
    // What is inserted at one place stands in the order in which it was suggested: nothing comes before what was known.
    if (oldStart === oldEnd || !stands(one, newEnd - one.newLines.length)) continue;
    kept.push(one);
    oldEnd = one.oldStart;
    newEnd -= one.newLines.length;
  }
  const isNothing = oldStart === oldEnd && newStart === newEnd;
  return { rest: isNothing ? null : { oldStart, oldEnd, newStart, newEnd }, kept };
}
