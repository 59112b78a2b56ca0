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
  if (hunk.proposes !== undefined) return "the canvas itself";
  const { startLine, endLine } = placement;
  if (placement.type === "applies" && hunk.oldText === "") {
    return startLine === 0 ? "at the top" : `after line ${startLine}`;
  }
  return endLine - startLine <= 1 ? `line ${startLine + 1}` : `lines ${startLine + 1}–${endLine}`;
}

/** Returns what a hunk without lines would do, in sentences; null for a hunk about lines. */
export function proposalWords({ hunk: { proposes } }: ReviewItem): string | null {
  if (proposes === undefined) return null;
  if (proposes.type === "delete") return "Delete this canvas. It goes to the trash, where you can restore it.";
  if (proposes.type === "create") return `Create ${proposes.path}.`;
  const { title, ...others } = proposes.metadata ?? {};
  const names = Object.keys(others);
  return [
    ...(typeof title === "string" ? [`Rename this canvas to “${title}”.`] : []),
    ...(proposes.path === undefined ? [] : [`Move the file of this canvas to ${proposes.path}.`]),
    ...(title === null ? ["Remove the title of this canvas."] : []),
    ...(proposes.excluded === undefined
      ? []
      : [proposes.excluded ? "Leave this canvas out of what models see." : "Let models see this canvas again."]),
    ...(proposes.collapsed === undefined ? [] : [proposes.collapsed ? "Fold this canvas." : "Unfold this canvas."]),
    ...(names.length === 0 ? [] : [`Set ${names.map((name) => `“${name}”`).join(", ")}.`]),
  ].join(" ");
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
