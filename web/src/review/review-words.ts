import { shortName } from "../view/words/words.ts";
import { countItems, type ReviewItem } from "./review-items.ts";

/** Returns "3 suggestions by Scribe" and the number of conflicts. */
export function reviewTitle(items: readonly ReviewItem[]): string {
  const { conflicts } = countItems(items);
  const authors = [...new Set(items.map(({ suggestion }) => shortName(suggestion.author.name)))];
  const by = authors.length === 1 ? ` by ${authors[0]}` : ` by ${authors.length} agents`;
  const some = conflicts === items.length ? "" : `${conflicts} `;
  const conflicting = conflicts === 0 ? "" : `, ${some}in conflict`;
  return `${items.length} ${items.length === 1 ? "suggestion" : "suggestions"}${by}${conflicting}`;
}

/** Returns the place of a hunk: "line 4", "lines 4–6", "after line 3". */
export function placeWords({ hunk, placement }: ReviewItem): string {
  const { startLine, endLine } = placement;
  if (placement.type === "applies" && hunk.oldText === "") {
    return startLine === 0 ? "at the top" : `after line ${startLine}`;
  }
  return endLine - startLine <= 1 ? `line ${startLine + 1}` : `lines ${startLine + 1}–${endLine}`;
}

/** Returns why a hunk waits, when the policy does not explain it. */
export function reasonWords({ suggestion }: ReviewItem): string | null {
  return suggestion.reason === "late-write" ? "arrived after you took control, so it was not written" : null;
}

/** Explains what to do about a hunk in conflict. */
export const conflictWords =
  "These lines changed after the suggestion was made, so it cannot be applied. Make the edit yourself and reject the suggestion, or undo the later change and then keep it.";

/** Returns the announcement after a decision. */
export function decidedWords(outcome: "kept" | "rejected", count: number, left: number): string {
  const what = count === 1 ? "Suggestion" : `${count} suggestions`;
  const rest = left === 0 ? "None is left." : `${left} left.`;
  return `${what} ${outcome}. ${rest} “Undo mine” reverts this.`;
}
