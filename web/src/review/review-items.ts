import type { BlameSpan } from "../../../src/core/text/types.ts";
import { createHunkPlacer, type HunkStanding } from "../../../src/core/block/suggestion/hunk-place.ts";
import type { SuggestedHunk, Suggestion } from "../../../src/core/block/suggestion/suggestion.ts";

/** A hunk that waits for a decision, and where it stands in the text as it is now. */
export interface ReviewItem {
  readonly hunk: SuggestedHunk;
  readonly suggestion: Suggestion;
  readonly standing: HunkStanding;
}

/** All hunks of a canvas that are open, from the top of the text to its end. */
export function reviewItems(
  suggestions: readonly Suggestion[],
  current: { readonly text: string; readonly blame: readonly BlameSpan[] },
): readonly ReviewItem[] {
  const place = createHunkPlacer(current);
  const items = suggestions.flatMap((suggestion) =>
    suggestion.hunks
      .filter(({ state }) => state === "open")
      .map((hunk) => ({ hunk, suggestion, standing: place(hunk) })),
  );
  return items.toSorted((a, b) => a.standing.startLine - b.standing.startLine);
}

/** What of the open hunks can be kept, and what cannot. */
export function countItems(items: readonly ReviewItem[]): { readonly standing: number; readonly conflicts: number } {
  const standing = items.filter((item) => item.standing.type === "stands").length;
  return { standing, conflicts: items.length - standing };
}

/**
 * The item that is looked at after some were decided: it itself, else the next one that was behind it, else the last; the
 * first where none was looked at. null when none is left.
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

/** How many items the list shows at once; each of them is a diff of its own. */
const listedAtOnce = 100;

/** The page of the list, [from, to), that the item at a number is on: it stays while one goes through it. */
export function pageOf(count: number, at: number): { readonly from: number; readonly to: number } {
  const from = Math.floor(at / listedAtOnce) * listedAtOnce;
  return { from, to: Math.min(count, from + listedAtOnce) };
}

/** A hunk as a unified diff with its context: for showing it. */
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

/** A side without lines names the line before it. */
function sideOf(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return text.replace(/\n$/u, "").split("\n");
}
