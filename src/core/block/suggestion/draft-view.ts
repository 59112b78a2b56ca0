import { lineStarts } from "../../base/lines.ts";
import type { DraftId, HunkId } from "../../base/ids.ts";
import type { TextChange } from "../../text/types.ts";
import { diffChanges } from "../change/diff-changes.ts";
import { applyChanges } from "../change/text-change.ts";
import { createHunkPlacer, type AuthoredText } from "./hunk-place.ts";
import { changesOf, meetHunks, type PlacedHunk } from "./suggest-hunks.ts";
import type { SuggestedHunk } from "./suggestion.ts";

/** The hunks of a draft over the shared text as it is now. */
export interface DraftView {
  /**
   * Every hunk at its lines, in text order. Where others changed other words of those lines, `hunk` has been made again: its
   * old lines are those of now, its new lines have the words of both.
   */
  readonly placed: readonly PlacedHunk[];
  /** Those of them whose words others changed too: the draft shows its own, and a person decides. */
  readonly conflicts: ReadonlySet<HunkId>;
  /** The text of the draft. */
  readonly text: string;
}

/** Places a draft's hunks in the shared text. */
export function viewDraft(hunks: readonly SuggestedHunk[], current: AuthoredText): DraftView {
  const placed: PlacedHunk[] = [];
  const conflicts = new Set<HunkId>();
  // What applies as it is has its place first.
  for (const one of placeAll(hunks, current).toSorted((a, b) => a.rank - b.rank)) {
    const at = free(one, placed);
    if (one.rank === ranks.conflict || at !== one) conflicts.add(one.hunk.id);
    placed.push({ hunk: at.hunk, from: at.from, to: at.to });
  }
  const orderById = new Map(hunks.map(({ id }, index) => [id, index]));
  const order = ({ hunk }: PlacedHunk): number => orderById.get(hunk.id) ?? 0;
  placed.sort((a, b) => a.from - b.from || a.to - b.to || order(a) - order(b));
  return { placed, conflicts, text: applyChanges(current.text, changesOf(placed)) };
}

/** Hunks that a person may choose of several drafts, and those of them that are about the same lines. */
export function meetingHunks(
  hunks: readonly SuggestedHunk[],
  draftsByHunk: ReadonlyMap<HunkId, DraftId | undefined>,
): readonly HunkId[] {
  // Those of one draft belong together: its view has a place for each.
  const areApart = (a: SuggestedHunk, b: SuggestedHunk): boolean => draftsByHunk.get(a.id) !== draftsByHunk.get(b.id);
  const meeting = hunks.filter((hunk) => hunks.some((other) => areApart(hunk, other) && meetHunks(hunk, other)));
  return meeting.map(({ id }) => id);
}

interface Placing extends PlacedHunk {
  readonly rank: number;
}

const ranks = { applies: 0, merged: 1, conflict: 2 } as const;

function placeAll(hunks: readonly SuggestedHunk[], current: AuthoredText): readonly Placing[] {
  const { text } = current;
  const place = createHunkPlacer(current);
  let starts: Int32Array | undefined;
  const offset = (line: number): number => (starts ??= lineStarts(text))[line] ?? text.length;
  return hunks.map((hunk) => {
    const found = place(hunk);
    if (found.type === "applies") return { hunk, from: found.from, to: found.to, rank: ranks.applies };
    const from = offset(found.startLine);
    const to = hunk.oldText === "" ? from : Math.max(from, offset(found.endLine));
    const now = text.slice(from, to);
    const merged = hunk.oldText === "" ? hunk.newText : mergedWords(hunk.oldText, now, hunk.newText);
    const fresh = wholeLinesAt(text, { from, to }, merged ?? hunk.newText);
    return {
      hunk: { ...hunk, oldText: now, newText: fresh },
      from,
      to,
      rank: merged === null ? ranks.conflict : ranks.merged,
    };
  });
}

/** Merges two edits of the same lines word by word; null where both changed the same words. */
export function mergedWords(old: string, ours: string, theirs: string): string | null {
  const [mine, other] = [diffChanges(old, ours), diffChanges(old, theirs)];
  if (mine.some((one) => other.some((two) => touches(one, two) && !isSame(one, two)))) return null;
  const own = mine.filter((one) => !other.some((two) => isSame(one, two)));
  return applyChanges(
    old,
    [...own, ...other].toSorted((a, b) => a.from - b.from || a.to - b.to),
  );
}

function touches(a: TextChange, b: TextChange): boolean {
  return a.from <= b.to && b.from <= a.to;
}

function isSame(a: TextChange, b: TextChange): boolean {
  return a.from === b.from && a.to === b.to && a.insert === b.insert;
}

/** Keeps new lines whole where they are put in the midst of a text, or behind a last line without its end. */
function wholeLinesAt(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  lines: string,
): string {
  if (lines === "") return lines;
  const begin = from > 0 && text.charAt(from - 1) !== "\n" ? "\n" : "";
  const end = to < text.length && !lines.endsWith("\n") ? "\n" : "";
  return begin + lines + end;
}

/** Returns a place for a hunk beside those that have theirs: lines that another hunk replaces are not replaced again. */
function free(one: Placing, taken: readonly PlacedHunk[]): Placing {
  const over = taken.find(({ from, to }) => from < to && from < Math.max(one.to, one.from + 1) && one.from < to);
  if (over === undefined) return one;
  return one.from === one.to && one.from <= over.from
    ? one
    : { ...one, from: over.to, to: over.to, hunk: { ...one.hunk, oldText: "" } };
}
