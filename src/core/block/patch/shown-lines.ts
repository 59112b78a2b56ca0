import { shortened } from "../../base/shortened.ts";
import type { HunkVerdict } from "./types.ts";

const verdictsShownMax = 200;

/** Keeps the verdicts that a refusal shows: the first rejected hunks, then the first others, in order. */
export function boundVerdicts(verdicts: readonly HunkVerdict[]): readonly HunkVerdict[] {
  if (verdicts.length <= verdictsShownMax) return verdicts;
  const rejected = verdicts.filter(({ ok }) => !ok);
  const shown = [...rejected, ...verdicts.filter(({ ok }) => ok)].slice(0, verdictsShownMax);
  return shown.toSorted((a, b) => a.hunk - b.hunk);
}

/** Number of lines of the text that a verdict shows. */
export const linesShownMax = 20;

const lineUnitsMax = 4_000;
const allUnitsMax = 64_000;

/**
 * Limits how much text all verdicts show together, so that a refusal stays small for any patch and any text: long lines are
 * cut with an ellipsis, and later verdicts show nothing once the limit is reached.
 */
export function boundShownLines(verdicts: readonly HunkVerdict[]): readonly HunkVerdict[] {
  let left = allUnitsMax;
  const shown = (line: string): string => {
    const cut = shortened(line, lineUnitsMax);
    left -= cut.length;
    return cut;
  };
  const shownLines = (lines: readonly string[]): readonly string[] => {
    const kept: string[] = [];
    for (const line of lines) if (left > 0) kept.push(shown(line));
    return kept;
  };
  return verdicts.map((verdict) => {
    if (verdict.ok) return verdict;
    switch (verdict.code) {
      case "NO_MATCH": {
        const expected = shown(left > 0 ? verdict.expected : "…");
        const actual = verdict.actual === null ? null : shown(left > 0 ? verdict.actual : "…");
        return { ...verdict, expected, actual, actual_lines: shownLines(verdict.actual_lines) };
      }
      case "AMBIGUOUS":
        return { ...verdict, actual_lines: shownLines(verdict.actual_lines) };
      case "OVERLAP":
      case "ALREADY_APPLIED":
      case "NO_CONTEXT":
      case "EMPTY_HUNK":
        return verdict;
    }
  });
}
