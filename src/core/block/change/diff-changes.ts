import { lineStarts } from "../../base/lines.ts";
import type { TextChange } from "../../text/types.ts";
import { diffLines } from "./line-diff.ts";
import { trimChange } from "./text-change.ts";
import { wordChanges } from "./word-changes.ts";

/**
 * Computes changes that turn one text exactly into another, including line ends, and leave equal parts untouched. Lines that
 * replace each other one by one are compared word by word.
 */
export function diffChanges(before: string, after: string): readonly TextChange[] {
  const [old, fresh] = [wholeLines(before), wholeLines(after)];
  const changes: TextChange[] = [];
  for (const run of diffLines(old.lines, fresh.lines)) {
    const count = run.oldEnd - run.oldStart;
    const paired = count === run.newEnd - run.newStart;
    const parts = paired ? Array.from({ length: count }, (_, index) => index) : [0];
    for (const part of parts) {
      const change: TextChange = {
        from: old.offset(run.oldStart + part),
        to: old.offset(paired ? run.oldStart + part + 1 : run.oldEnd),
        insert: after.slice(
          fresh.offset(run.newStart + part),
          fresh.offset(paired ? run.newStart + part + 1 : run.newEnd),
        ),
      };
      if (paired) changes.push(...wordChanges(before, change));
      else {
        const trimmed = trimChange(before, change);
        if (trimmed !== undefined) changes.push(trimmed);
      }
    }
  }
  return changes;
}

/** The lines of a text with their terminators, and their offsets. */
export function wholeLines(text: string): { readonly lines: readonly string[]; offset(line: number): number } {
  const starts = lineStarts(text);
  const offset = (line: number): number => starts[line] ?? text.length;
  return { lines: Array.from(starts, (start, index) => text.slice(start, offset(index + 1))), offset };
}
