import type { DraftId } from "../../base/ids.ts";
import { openHunks, type SuggestedHunk, type Suggestion } from "./suggestion.ts";

/** Whether a suggestion is a part of a draft that is not in the trash; a late write of the draft waits beside it. */
export function isOfDraft({ draftId, reason, inTrash }: Suggestion, id: DraftId): boolean {
  return draftId === id && reason !== "late-write" && inTrash !== true;
}

/** Returns the open hunks of a draft that are about lines. */
export function hunksOfDraft(suggestions: readonly Suggestion[], draftId: DraftId): readonly SuggestedHunk[] {
  return openHunks(suggestions.filter((one) => isOfDraft(one, draftId))).filter(
    ({ proposes }) => proposes === undefined,
  );
}

/** Returns the late writes of a draft that a person has not decided about. */
export function lateWritesOfDraft(suggestions: readonly Suggestion[], draftId: DraftId): readonly Suggestion[] {
  return suggestions.filter(
    ({ draftId: of, reason, inTrash, hunks }) =>
      of === draftId && reason === "late-write" && inTrash !== true && hunks.some(({ state }) => state === "open"),
  );
}

/** The drafts that have open hunks in a document, oldest first. */
export function openDrafts(suggestions: readonly Suggestion[]): readonly DraftId[] {
  const ids = suggestions.flatMap((one) =>
    one.draftId !== undefined && isOfDraft(one, one.draftId) && one.hunks.some(({ state }) => state === "open")
      ? [one.draftId]
      : [],
  );
  return [...new Set(ids)];
}

/** Whether a person took or dropped a draft: some of its hunks are decided, and none is open. */
export function hasEnded(suggestions: readonly Suggestion[], draftId: DraftId): boolean {
  const states = suggestions.flatMap((one) => (isOfDraft(one, draftId) ? one.hunks.map(({ state }) => state) : []));
  return !states.includes("open") && states.some((state) => state === "kept" || state === "rejected");
}
