import type { TextChange } from "../../text/types.ts";
import { diffLines, type LineRun } from "./line-diff.ts";
import { trimChange } from "./text-change.ts";

/** A line with more UTF-16 units than this on either side is replaced as a whole: its words are not compared. */
const comparedUnitsMax = 8_000;

/** A change of one line that keeps less than this share of the shorter side replaces the whole line. */
const keptShareMin = 1 / 2;

/** Splits changes within a line word by word; changes of whole lines stay as they are. See wordChanges. */
export function byWords(text: string, changes: readonly TextChange[]): readonly TextChange[] {
  return changes.flatMap((change) => {
    const isWithinLine = !change.insert.includes("\n") && !text.slice(change.from, change.to).includes("\n");
    return isWithinLine ? wordChanges(text, change) : [change];
  });
}

/**
 * Splits a change within a line into changes of its words with the same result: the words between keep their authors, and
 * concurrent edits there stay in place. A paragraph is often one line.
 */
export function wordChanges(text: string, change: TextChange): readonly TextChange[] {
  const trimmed = trimChange(text, change);
  if (trimmed === undefined) return [];
  const { from, to, insert } = trimmed;
  const removed = to - from;
  if (removed === 0 || insert === "" || removed > comparedUnitsMax || insert.length > comparedUnitsMax)
    return [trimmed];
  const [old, fresh] = [wordsOf(text.slice(from, to)), wordsOf(insert)];
  const runs = joined(diffLines(old, fresh), old);
  const kept = removed - runs.reduce((sum, run) => sum + unitsOf(old, run.oldStart, run.oldEnd), 0);
  if (runs.length < 2 || kept < Math.min(removed, insert.length) * keptShareMin) return [trimmed];
  const changes: TextChange[] = [];
  let [at, word] = [from, 0];
  for (const { oldStart, oldEnd, newStart, newEnd } of runs) {
    const start = at + unitsOf(old, word, oldStart);
    at = start + unitsOf(old, oldStart, oldEnd);
    word = oldEnd;
    const one = trimChange(text, { from: start, to: at, insert: fresh.slice(newStart, newEnd).join("") });
    if (one !== undefined) changes.push(one);
  }
  return changes;
}

/** Words, spaces and symbols; a character that is neither letter nor digit is a token of its own. */
function wordsOf(line: string): readonly string[] {
  return line.match(/[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu) ?? [];
}

/** Runs with more than spaces and symbols between them; runs separated by less are joined. */
function joined(runs: readonly LineRun[], old: readonly string[]): readonly LineRun[] {
  const found: LineRun[] = [];
  for (const run of runs) {
    const last = found.at(-1);
    const between = last === undefined ? [] : old.slice(last.oldEnd, run.oldStart);
    if (last === undefined || between.some((word) => /[\p{L}\p{N}]/u.test(word))) found.push(run);
    else found[found.length - 1] = { ...last, oldEnd: run.oldEnd, newEnd: run.newEnd };
  }
  return found;
}

function unitsOf(words: readonly string[], start: number, end: number): number {
  let units = 0;
  for (let index = start; index < end; index += 1) units += words[index]?.length ?? 0;
  return units;
}
