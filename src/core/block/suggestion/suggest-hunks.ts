import { lineAt, lineStarts } from "../../base/lines.ts";
import type { HunkId } from "../../base/ids.ts";
import type { BlameSpan, OpId, OpSpan, TextChange } from "../../text/types.ts";
import { diffChanges, wholeLines } from "../change/diff-changes.ts";
import { createHunkPlacer, type AuthoredText } from "./hunk-place.ts";
import { leaveKnown, type KnownLines } from "./leave-known.ts";
import { diffLines, type LineRun } from "../change/line-diff.ts";
import type { SuggestedHunk } from "./suggestion.ts";
import { applyChanges } from "../change/text-change.ts";

/** A hunk that applies, and the range of its lines in the text. */
export interface PlacedHunk {
  readonly hunk: SuggestedHunk;
  readonly from: number;
  readonly to: number;
}

/** The hunks that apply to a text together, in text order, and the hunks that do not. */
export interface PlacedHunks {
  readonly placed: readonly PlacedHunk[];
  readonly conflicts: readonly SuggestedHunk[];
}

/** Places hunks in a text. Of two hunks about the same lines, the first named applies and the other does not. */
export function placeHunks(hunks: readonly SuggestedHunk[], current: AuthoredText): PlacedHunks {
  const place = createHunkPlacer(current);
  const conflicts: SuggestedHunk[] = [];
  const applicable: PlacedHunk[] = [];
  for (const hunk of hunks) {
    const { type, ...at } = place(hunk);
    if (type === "applies" && "from" in at) applicable.push({ hunk, from: at.from, to: at.to });
    else conflicts.push(hunk);
  }
  const placed: PlacedHunk[] = [];
  const taken = new TakenRanges();
  for (const one of applicable) {
    if (taken.take(one)) placed.push(one);
    else conflicts.push(one.hunk);
  }
  // Insertions at one place keep the order in which they were named, before a replacement at that place.
  return { placed: placed.toSorted((a, b) => a.from - b.from || a.to - b.to), conflicts };
}

/** Returns the smallest text changes that keep placed hunks. */
export function changesOf(placed: readonly PlacedHunk[]): readonly TextChange[] {
  return placed.flatMap(({ hunk, from, to }) =>
    from === to
      ? [{ from, to, insert: hunk.newText }]
      : diffChanges(hunk.oldText, hunk.newText).map((change) => ({
          from: from + change.from,
          to: from + change.to,
          insert: change.insert,
        })),
  );
}

/** Returns the text as the author of these hunks sees it: with all hunks that apply. */
export function textWith(hunks: readonly SuggestedHunk[], current: AuthoredText): string {
  if (hunks.length === 0) return current.text;
  return applyChanges(current.text, changesOf(placeHunks(hunks, current).placed));
}

const contextLines = 3;

/** Computes the hunks that turn a text into another, in text order; `idOf` names them, counted from 1. */
export function hunksBetween(
  current: AuthoredText,
  proposed: string,
  idOf: (number: number) => HunkId,
): readonly SuggestedHunk[] {
  const change = { current, old: wholeLines(current.text), proposed, fresh: wholeLines(proposed) };
  return diffLines(change.old.lines, change.fresh.lines).map((run, index) => hunkOf(change, run, idOf(index + 1)));
}

interface ProposedChange {
  readonly current: AuthoredText;
  readonly proposed: string;
  /** Line starts of the current text and of the proposed one. */
  readonly old: WholeLines;
  readonly fresh: WholeLines;
}

type WholeLines = ReturnType<typeof wholeLines>;

function hunkOf({ current: { text, blame }, proposed, old, fresh }: ProposedChange, run: LineRun, id: HunkId) {
  const from = old.offset(run.oldStart);
  const to = old.offset(run.oldEnd);
  return {
    id,
    state: "open",
    startLine: run.oldStart,
    endLine: run.oldEnd,
    oldText: text.slice(from, to),
    newText: proposed.slice(fresh.offset(run.newStart), fresh.offset(run.newEnd)),
    contextBefore: text.slice(old.offset(Math.max(0, run.oldStart - contextLines)), from),
    contextAfter: text.slice(to, old.offset(run.oldEnd + contextLines)),
    anchor: {
      own: unitsOf(blame, from, to),
      before: from === 0 ? null : unitAt(blame, from - 1),
      after: to === text.length ? null : unitAt(blame, to),
    },
  } as const satisfies SuggestedHunk;
}

/** Hunks in a text as their author sees it, and that text. */
export interface ShownHunks {
  readonly placed: readonly PlacedHunk[];
  readonly text: string;
}

function showPlaced(hunks: readonly SuggestedHunk[], current: AuthoredText): ShownHunks {
  const { placed } = placeHunks(hunks, current);
  return { placed, text: applyChanges(current.text, changesOf(placed)) };
}

/** The result of a new proposal for an agent's suggestions. */
export interface Replanned {
  /** New hunks; named by `idOf`, counted from 1. */
  readonly fresh: readonly SuggestedHunk[];
  /** The agent's own hunks that the new text no longer contains. */
  readonly replaced: readonly HunkId[];
}

/**
 * Plans an agent's suggestions for a new proposal. The agent saw the text with its own open hunks applied: hunks that the
 * new text still contains stay unchanged, even next to new ones; the others are replaced. `show` says where its hunks are.
 */
export function replan(
  own: readonly SuggestedHunk[],
  current: AuthoredText,
  proposed: string,
  idOf: (number: number) => HunkId,
  show: (hunks: readonly SuggestedHunk[], current: AuthoredText) => ShownHunks = showPlaced,
): Replanned {
  const change = { current, old: wholeLines(current.text), proposed, fresh: wholeLines(proposed) };
  const runs = diffLines(change.old.lines, change.fresh.lines);
  const { placed } = show(own, current);
  const apart = replanned(change, knownLines(placed, current.text), { runs, idOf, isApart: true });
  const gone = new Set(apart.replaced);
  const after = [...own.filter(({ id }) => !gone.has(id)), ...apart.fresh];
  // Together the hunks must produce the proposed text exactly; otherwise no run is split.
  if (placed.length === 0 || show(after, current).text === proposed) return apart;
  return replanned(change, knownLines(placed, current.text), { runs, idOf, isApart: false });
}

interface KnownHunk extends KnownLines {
  readonly hunk: SuggestedHunk;
}

function knownLines(placed: readonly PlacedHunk[], text: string): readonly KnownHunk[] {
  const starts = lineStarts(text);
  const lineOf = (offset: number): number => (offset >= text.length ? starts.length : lineAt(starts, offset));
  return placed.map(({ hunk, from, to }) => {
    return { hunk, oldStart: lineOf(from), oldEnd: lineOf(to), newLines: wholeLines(hunk.newText).lines };
  });
}

function replanned(
  change: ProposedChange,
  known: readonly KnownHunk[],
  how: {
    readonly runs: readonly LineRun[];
    readonly idOf: (number: number) => HunkId;
    /** Whether a known hunk that is only a part of a run stays. */
    readonly isApart: boolean;
  },
): Replanned {
  const kept = new Set<SuggestedHunk>();
  const rests: LineRun[] = [];
  for (const run of how.runs) {
    const within = known.filter(({ oldStart, oldEnd }) => oldStart >= run.oldStart && oldEnd <= run.oldEnd);
    const left = leaveKnown(run, within, change.fresh.lines);
    if (left.rest !== null && !how.isApart) rests.push(run);
    else {
      for (const { hunk } of left.kept) kept.add(hunk);
      if (left.rest !== null) rests.push(left.rest);
    }
  }
  return {
    fresh: rests.map((run, index) => hunkOf(change, run, how.idOf(index + 1))),
    replaced: known.filter(({ hunk }) => !kept.has(hunk)).map(({ hunk }) => hunk.id),
  };
}

/** Whether two hunks are about the same lines, or insert at the same place. */
export function meetHunks({ anchor: a }: SuggestedHunk, { anchor: b }: SuggestedHunk): boolean {
  if (a.own.length === 0 && b.own.length === 0) {
    return JSON.stringify([a.before, a.after]) === JSON.stringify([b.before, b.after]);
  }
  return a.own.some((one) =>
    b.own.some(
      (other) =>
        one.replica === other.replica && one.seq < other.seq + other.length && other.seq < one.seq + one.length,
    ),
  );
}

/** Returns the units of [from, to) of a text, in order. */
function unitsOf(blame: readonly BlameSpan[], from: number, to: number): readonly OpSpan[] {
  const spans: OpSpan[] = [];
  for (let index = spanAt(blame, from); index < blame.length; index += 1) {
    const span = blame[index];
    if (span === undefined || span.from >= to) break;
    const first = Math.max(span.from, from);
    const last = Math.min(span.to, to);
    if (first < last) {
      spans.push({ replica: span.id.replica, seq: span.id.seq + (first - span.from), length: last - first });
    }
  }
  return spans;
}

function unitAt(blame: readonly BlameSpan[], offset: number): OpId | null {
  const [span] = unitsOf(blame, offset, offset + 1);
  return span === undefined ? null : { replica: span.replica, seq: span.seq };
}

/** Returns the number of the first span that ends after an offset. */
function spanAt(blame: readonly BlameSpan[], offset: number): number {
  let low = 0;
  let high = blame.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((blame[middle]?.to ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ranges of a text that are already taken, none of which overlap. */
class TakenRanges {
  readonly #ranges: { readonly from: number; readonly to: number }[] = [];

  /** Returns false when part of the range is taken. Insertions take no range, but are not allowed within replaced lines. */
  take({ from, to }: PlacedHunk): boolean {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ranges[middle]?.to ?? 0) <= from) low = middle + 1;
      else high = middle;
    }
    const next = this.#ranges[low];
    if (next !== undefined && (from === to ? next.from < from : next.from < to)) return false;
    if (from < to) this.#ranges.splice(low, 0, { from, to });
    return true;
  }
}
