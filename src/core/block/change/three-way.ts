import type { TextChange } from "../../text/types.ts";
import { wholeLines } from "./diff-changes.ts";
import { diffLines, type LineRun } from "./line-diff.ts";
import { trimChange } from "./text-change.ts";

/** The effect of one side's edits on a text that the other side has edited too. */
export type ThreeWay =
  /** Changes to the base that merge with the other side's edits. */
  | { readonly type: "changes"; readonly changes: readonly TextChange[] }
  /** Both sides changed the same or adjacent lines in different ways. `lines`: of the base, from 0. */
  | { readonly type: "conflict"; readonly lines: readonly { readonly start: number; readonly end: number }[] };

/**
 * Compares two edited versions of a base line by line, and returns `theirs` as changes to the base. Changes that both sides
 * made are omitted.
 */
export function threeWay(base: string, ours: string, theirs: string): ThreeWay {
  const [old, mine, other] = [wholeLines(base), wholeLines(ours), wholeLines(theirs)];
  const ownRuns = diffLines(old.lines, mine.lines);
  const changes: TextChange[] = [];
  const conflicts: { start: number; end: number }[] = [];
  let from = 0;
  for (const run of diffLines(old.lines, other.lines)) {
    while (from < ownRuns.length && (ownRuns[from]?.oldEnd ?? 0) < run.oldStart) from += 1;
    const touching: LineRun[] = [];
    for (let at = from; at < ownRuns.length; at += 1) {
      const own = ownRuns[at];
      if (own === undefined || own.oldStart > run.oldEnd) break;
      touching.push(own);
    }
    const insert = theirs.slice(other.offset(run.newStart), other.offset(run.newEnd));
    const [first, ...rest] = touching;
    if (first === undefined) {
      const change = trimChange(base, { from: old.offset(run.oldStart), to: old.offset(run.oldEnd), insert });
      if (change !== undefined) changes.push(change);
    } else if (rest.length > 0 || !isSamePlace(first, run) || insertedBy(first) !== insert) {
      conflicts.push({ start: run.oldStart, end: run.oldEnd });
    }
  }
  return conflicts.length === 0 ? { type: "changes", changes } : { type: "conflict", lines: conflicts };

  function insertedBy(run: LineRun): string {
    return ours.slice(mine.offset(run.newStart), mine.offset(run.newEnd));
  }
}

function isSamePlace(a: LineRun, b: LineRun): boolean {
  return a.oldStart === b.oldStart && a.oldEnd === b.oldEnd;
}
