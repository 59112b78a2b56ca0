import type { DraftId } from "../../base/ids.ts";
import { openHunks, type SuggestedHunk, type Suggestion } from "./suggestion.ts";

/** Returns the open hunks of a draft that are about lines. */
export function hunksOfDraft(suggestions: readonly Suggestion[], draftId: DraftId): readonly SuggestedHunk[] {
  return openHunks(suggestions.filter((one) => one.draftId === draftId)).filter(
    ({ proposes }) => proposes === undefined,
  );
}

/** The drafts that have open hunks in a document, oldest first. */
export function openDrafts(suggestions: readonly Suggestion[]): readonly DraftId[] {
  const ids = suggestions.flatMap((one) =>
    one.draftId !== undefined && one.hunks.some(({ state }) => state === "open") ? [one.draftId] : [],
  );
  return [...new Set(ids)];
}

/** Whether a person took or dropped a draft: some of its hunks are decided, and none is open. */
export function hasEnded(suggestions: readonly Suggestion[], draftId: DraftId): boolean {
  const states = suggestions.flatMap((one) => (one.draftId === draftId ? one.hunks.map(({ state }) => state) : []));
  return !states.includes("open") && states.some((state) => state === "kept" || state === "rejected");
}
