import { changedWords, type Piece, type WordBudget, wordBudget } from "./changed-words.ts";

/** One line of a diff; its numbers count from 1, null on the side without it. */
export interface DiffLine {
  readonly type: "context" | "added" | "removed";
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
  /** The pieces of the line; those that differ from its counterpart are marked. */
  readonly pieces: readonly Piece[];
}

export interface DiffHunk {
  /** Number of lines between this hunk and the previous one or the beginning; null when the diff does not say. */
  readonly skipped: number | null;
  readonly lines: readonly DiffLine[];
}

/** A row of two columns: an unchanged line, a changed line, or a line on one side. */
export interface DiffPair {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

interface RawLine {
  readonly type: DiffLine["type"];
  readonly text: string;
}

/**
 * Parses a unified diff into numbered lines. Lenient, because a model may still be writing it: lines outside hunks are
 * skipped, and a header without numbers gives no numbers.
 */
export function readDiff(diff: string): readonly DiffHunk[] {
  const hunks: DiffHunk[] = [];
  const budget = wordBudget();
  let header: RegExpExecArray | null = null;
  let lines: RawLine[] | null = null;
  let oldEnd: number | null = 1;
  const close = (): void => {
    if (lines === null) return;
    const oldStart = startOf(header?.[1], header?.[2]);
    const newStart = startOf(header?.[3], header?.[4]);
    const skipped = oldStart === null || oldEnd === null ? null : oldStart - oldEnd;
    hunks.push({ skipped, lines: numbered(lines, { oldStart, newStart, budget }) });
    oldEnd = oldStart === null ? null : oldStart + lines.filter(({ type }) => type !== "added").length;
  };
  for (const line of diff.replace(/\n$/u, "").split("\n")) {
    if (line.startsWith("@@")) {
      close();
      header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u.exec(line);
      lines = [];
    } else if (lines !== null) {
      const type = typeByMark[line.slice(0, 1)];
      if (type !== undefined) lines.push({ type, text: line.slice(1) });
    }
  }
  close();
  return hunks;
}

const typeByMark: Readonly<Record<string, DiffLine["type"]>> = {
  " ": "context",
  "": "context",
  "+": "added",
  "-": "removed",
};

/** Returns the first line of a side; a side without lines names the line before it. */
function startOf(start: string | undefined, count: string | undefined): number | null {
  if (start === undefined) return null;
  return Number(start) + (count === "0" ? 1 : 0);
}

function numbered(
  lines: readonly RawLine[],
  from: { readonly oldStart: number | null; readonly newStart: number | null; readonly budget: WordBudget },
): readonly DiffLine[] {
  let oldNumber = from.oldStart;
  let newNumber = from.newStart;
  const pieces = piecesOf(lines, from.budget);
  return lines.map(({ type }, index) => {
    const line: DiffLine = {
      type,
      oldNumber: type === "added" ? null : oldNumber,
      newNumber: type === "removed" ? null : newNumber,
      pieces: pieces[index] ?? [],
    };
    if (type !== "added" && oldNumber !== null) oldNumber += 1;
    if (type !== "removed" && newNumber !== null) newNumber += 1;
    return line;
  });
}

/** Marks the differences between corresponding lines. */
function piecesOf(lines: readonly RawLine[], budget: WordBudget): readonly (readonly Piece[])[] {
  const pieces: (readonly Piece[])[] = lines.map(({ text }) => [{ text, changed: false }]);
  for (const { removed, added } of replacements(lines)) {
    for (let at = 0; at < Math.min(removed.length, added.length); at += 1) {
      const [before, after] = [removed[at], added[at]];
      if (before === undefined || after === undefined) continue;
      const marked = changedWords(lines[before]?.text ?? "", lines[after]?.text ?? "", budget);
      if (marked === null) continue;
      pieces[before] = marked.before;
      pieces[after] = marked.after;
    }
  }
  return pieces;
}

interface Replacement {
  /** Indexes of lines in the hunk. */
  readonly removed: readonly number[];
  readonly added: readonly number[];
}

function replacements(lines: readonly Pick<RawLine, "type">[]): readonly Replacement[] {
  const found: { removed: number[]; added: number[] }[] = [];
  let open: { removed: number[]; added: number[] } | null = null;
  for (const [index, { type }] of lines.entries()) {
    if (type === "context") open = null;
    // A removed line after an added one begins the next group.
    else if (open === null || (type === "removed" && open.added.length > 0))
      found.push((open = { removed: [], added: [] }));
    if (type !== "context") open?.[type].push(index);
  }
  return found;
}

/** Returns a hunk's lines in two columns. */
export function sideBySide({ lines }: DiffHunk): readonly DiffPair[] {
  const groups = replacements(lines);
  const groupAt = new Map(groups.map((group) => [group.removed[0] ?? group.added[0], group]));
  const pairs: DiffPair[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.type === "context") pairs.push({ left: line, right: line });
    const group = groupAt.get(index);
    if (group === undefined) continue;
    for (let at = 0; at < Math.max(group.removed.length, group.added.length); at += 1) {
      pairs.push({ left: lineAt(lines, group.removed[at]), right: lineAt(lines, group.added[at]) });
    }
  }
  return pairs;
}

function lineAt(lines: readonly DiffLine[], index: number | undefined): DiffLine | null {
  return index === undefined ? null : (lines[index] ?? null);
}
