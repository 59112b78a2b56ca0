import type { BlameSpan } from "../../../src/core/text/types.ts";
import { openDrafts } from "../../../src/core/block/suggestion/draft-hunks.ts";
import { createHunkPlacer, type HunkPlacement } from "../../../src/core/block/suggestion/hunk-place.ts";
import { isProposal } from "../../../src/core/block/suggestion/header-proposal.ts";
import type { SuggestedHunk, Suggestion } from "../../../src/core/block/suggestion/suggestion.ts";

/** An open hunk and its placement in the current text. */
export interface ReviewItem {
  readonly hunk: SuggestedHunk;
  readonly suggestion: Suggestion;
  readonly placement: HunkPlacement;
}

/**
 * Returns all open hunks of a canvas in text order. Those of drafts are compared, not reviewed; what an agent wrote too late
 * waits beside its draft while that is open.
 */
export function reviewItems(
  suggestions: readonly Suggestion[],
  current: { readonly text: string; readonly blame: readonly BlameSpan[] },
): readonly ReviewItem[] {
  const place = createHunkPlacer(current);
  const drafts = new Set(openDrafts(suggestions));
  const isReviewed = ({ draftId, reason, inTrash }: Suggestion): boolean =>
    draftId === undefined || (reason === "late-write" && inTrash !== true && !drafts.has(draftId));
  const items = suggestions.flatMap((suggestion) =>
    (isReviewed(suggestion) ? suggestion.hunks : [])
      .filter(({ state }) => state === "open")
      .map((hunk) => ({ hunk, suggestion, placement: isProposal(hunk) ? ofTheCanvas : place(hunk) })),
  );
  return items.toSorted((a, b) => a.placement.startLine - b.placement.startLine);
}

/** The placement of a hunk about the canvas itself: above the text, whatever the text is. */
const ofTheCanvas: HunkPlacement = { type: "applies", startLine: 0, endLine: 0, from: 0, to: 0 };

/** Counts the hunks that can be kept and those in conflict. */
export function countItems(items: readonly ReviewItem[]): { readonly applicable: number; readonly conflicts: number } {
  const applicable = items.filter((item) => item.placement.type === "applies").length;
  return { applicable, conflicts: items.length - applicable };
}

/**
 * Returns the current item after a decision: the same item if it is still open, else the next one after it, else the
 * last; the first when none was current. null when none is left.
 */
export function itemAfter(
  before: readonly ReviewItem[],
  after: readonly ReviewItem[],
  current: ReviewItem["hunk"]["id"] | null,
): ReviewItem["hunk"]["id"] | null {
  if (current === null) return after[0]?.hunk.id ?? null;
  const left = new Set(after.map(({ hunk }) => hunk.id));
  const at = Math.max(
    0,
    before.findIndex(({ hunk }) => hunk.id === current),
  );
  const next = before.slice(at).find(({ hunk }) => left.has(hunk.id)) ?? after.at(-1);
  return next?.hunk.id ?? null;
}

/** Number of items on one page of the list; each one renders a diff. */
const listedAtOnce = 100;

/** Returns the page [from, to) of the list with the item at an index; it does not change while stepping within it. */
export function pageOf(count: number, at: number): { readonly from: number; readonly to: number } {
  const from = Math.floor(at / listedAtOnce) * listedAtOnce;
  return { from, to: Math.min(count, from + listedAtOnce) };
}

/** Returns a hunk as a unified diff with its context, for display. */
export function hunkDiff(hunk: SuggestedHunk): string {
  const body = [
    ...linesOf(hunk.contextBefore).map((line) => ` ${line}`),
    ...linesOf(hunk.oldText).map((line) => `-${line}`),
    ...linesOf(hunk.newText).map((line) => `+${line}`),
    ...linesOf(hunk.contextAfter).map((line) => ` ${line}`),
  ];
  const before = linesOf(hunk.contextBefore).length;
  const start = hunk.startLine - before + 1;
  const oldCount = body.filter((line) => !line.startsWith("+")).length;
  const newCount = body.filter((line) => !line.startsWith("-")).length;
  return `@@ -${sideOf(start, oldCount)} +${sideOf(start, newCount)} @@\n${body.join("\n")}\n`;
}

/** Returns a side of the hunk header; a side without lines names the line before it. */
function sideOf(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return text.replace(/\n$/u, "").split("\n");
}
