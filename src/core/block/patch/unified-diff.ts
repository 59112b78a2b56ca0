import { diffLines, type LineRun } from "../change/line-diff.ts";

/** Options for writing a diff. */
export interface UnifiedDiffOptions {
  /** Number of context lines around a change; default 3. */
  readonly contextLines?: number;
  /** The name in `---` and `+++`; without a name those lines are omitted. */
  readonly name?: string;
}

/**
 * Writes the unified diff from one text to another; empty when no line differs. `planPatch` and git accept it. Line ends are
 * written as newlines; a difference only in carriage returns is not shown.
 */
export function unifiedDiff(before: string, after: string, options: UnifiedDiffOptions = {}): string {
  const { contextLines = 3, name } = options;
  const [old, fresh] = [diffSide(before), diffSide(after)];
  const runs = diffLines(old.keys, fresh.keys);
  if (runs.length === 0) return "";
  const out: string[] = name === undefined ? [] : [`--- a/${name}`, `+++ b/${name}`];
  for (const group of groupRuns(runs, contextLines)) writeHunk(out, { old, fresh, group, contextLines });
  // One flat string, because parsers read the patch unit by unit.
  out.push("");
  return out.join("\n");
}

interface DiffSide {
  readonly lines: readonly string[];
  /** Keys for comparing lines: a last line without newline differs from one with a newline. */
  readonly keys: readonly string[];
  readonly unterminated: boolean;
}

function diffSide(text: string): DiffSide {
  const split = text.split("\n");
  const unterminated = split.at(-1) !== "";
  const last = unterminated ? split.length - 1 : split.length;
  // A carriage return at the end of a text without final newline is not part of a line end.
  const lines = text.includes("\r")
    ? split.map((line, index) => (index < last && line.endsWith("\r") ? line.slice(0, -1) : line))
    : split;
  if (!unterminated) lines.pop();
  return { lines, keys: unterminated ? [...lines.slice(0, -1), `${lines.at(-1) ?? ""}\n`] : lines, unterminated };
}

type RunGroup = readonly [LineRun, ...LineRun[]];

/** Joins runs whose contexts would touch into one hunk. */
function groupRuns(runs: readonly LineRun[], contextLines: number): readonly RunGroup[] {
  const groups: [LineRun, ...LineRun[]][] = [];
  for (const run of runs) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && run.oldStart - last.oldEnd <= contextLines * 2) group.push(run);
    else groups.push([run]);
  }
  return groups;
}

interface HunkSource {
  readonly old: DiffSide;
  readonly fresh: DiffSide;
  readonly group: RunGroup;
  readonly contextLines: number;
}

function writeHunk(out: string[], source: HunkSource): void {
  const { old, fresh, group, contextLines } = source;
  const [first] = group;
  const last = group.at(-1) ?? first;
  const before = Math.min(contextLines, first.oldStart);
  const after = Math.min(contextLines, old.lines.length - last.oldEnd);
  const oldRange = range(first.oldStart - before, last.oldEnd + after);
  const newRange = range(first.newStart - before, last.newEnd + after);
  out.push(`@@ -${oldRange} +${newRange} @@`);
  let at = first.oldStart - before;
  for (const run of group) {
    writeLines(out, " ", old, at, run.oldStart);
    writeLines(out, "-", old, run.oldStart, run.oldEnd);
    writeLines(out, "+", fresh, run.newStart, run.newEnd);
    at = run.oldEnd;
  }
  writeLines(out, " ", old, at, last.oldEnd + after);
}

/** Writes lines [from, to), 0-based, as a header does: from 1, and the previous line for an empty range. */
function range(from: number, to: number): string {
  const count = to - from;
  const start = count === 0 ? from : from + 1;
  return count === 1 ? `${start}` : `${start},${count}`;
}

function writeLines(out: string[], mark: string, side: DiffSide, from: number, to: number): void {
  for (let index = from; index < to; index += 1) {
    out.push(mark + (side.lines[index] ?? ""));
    if (side.unterminated && index === side.lines.length - 1) out.push("\\ No newline at end of file");
  }
}
