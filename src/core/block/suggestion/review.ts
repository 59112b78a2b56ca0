import { refusal, type Refusal } from "../../base/errors.ts";
import type { HunkId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { openHunks, type HunkDecision, type SuggestedHunk, type Suggestion } from "./suggestion.ts";

/**
 * The open hunks that a review step is about: those that are named, each of which must be there and open, or all. In the
 * order of the suggestions. Refused with SUGGESTION_NOT_FOUND, also where nothing is open, or with SUGGESTION_DECIDED.
 */
export function chooseHunks(
  suggestions: readonly Suggestion[],
  named: readonly HunkId[] | undefined,
): Result<readonly SuggestedHunk[], Refusal> {
  const open = openHunks(suggestions);
  if (named === undefined) {
    return open.length > 0
      ? ok(open)
      : err(refusal("SUGGESTION_NOT_FOUND", {}, "Nothing is suggested for this canvas that nobody has decided about."));
  }
  const known = new Set(suggestions.flatMap(({ hunks }) => hunks.map(({ id }) => id)));
  const unknown = named.filter((id) => !known.has(id));
  if (unknown.length > 0) return err(refusal("SUGGESTION_NOT_FOUND", { hunk_ids: unknown }));
  const wanted = new Set(named);
  const chosen = open.filter(({ id }) => wanted.delete(id));
  return wanted.size === 0 ? ok(chosen) : err(refusal("SUGGESTION_DECIDED", { hunk_ids: [...wanted] }));
}

/**
 * Of the hunks that somebody was shown, those that are still open: what came since they looked is none of their decision.
 * Refused with SUGGESTION_DECIDED where none is left.
 */
export function chooseOf(
  suggestions: readonly Suggestion[],
  shown: readonly HunkId[],
): Result<readonly SuggestedHunk[], Refusal> {
  const wanted = new Set(shown);
  const chosen = openHunks(suggestions).filter(({ id }) => wanted.has(id));
  return chosen.length > 0 ? ok(chosen) : err(refusal("SUGGESTION_DECIDED", { hunk_ids: [...shown] }));
}

/** The suggestions that a decision about these hunks changes, as they are after it. */
export function decided(
  suggestions: readonly Suggestion[],
  hunkIds: readonly HunkId[],
  decision: HunkDecision,
): readonly Suggestion[] {
  const ids = new Set(hunkIds);
  return changed(suggestions, (hunk) => (ids.has(hunk.id) ? { ...hunk, state: decision.outcome, decision } : hunk));
}

/**
 * The suggestions that change when their agent has something else in these places, as they are then. Nobody will decide
 * about them: their text is let go, which may be the whole canvas with each call.
 */
export function replaced(suggestions: readonly Suggestion[], hunkIds: readonly HunkId[]): readonly Suggestion[] {
  const ids = new Set(hunkIds);
  return changed(suggestions, (hunk) => (ids.has(hunk.id) ? { ...hunk, ...nothingLeft, state: "replaced" } : hunk));
}

const nothingLeft = {
  oldText: "",
  newText: "",
  contextBefore: "",
  contextAfter: "",
  anchor: { own: [], before: null, after: null },
} as const;

/** The suggestions that the undo of these review steps opens again, as they are then. */
export function reopened(suggestions: readonly Suggestion[], unitIds: readonly string[]): readonly Suggestion[] {
  const units = new Set(unitIds);
  return changed(suggestions, (hunk) =>
    hunk.decision !== undefined && units.has(hunk.decision.unitId) && hunk.state === hunk.decision.outcome
      ? { ...hunk, state: "open" }
      : hunk,
  );
}

/**
 * The suggestions that a redo of these review steps changes, as they are then: refused with SUGGESTION_DECIDED where
 * somebody has decided otherwise about one of their hunks since the undo.
 */
export function decidedAgain(
  suggestions: readonly Suggestion[],
  step: { readonly unitIds: readonly string[]; readonly hunkIds: readonly HunkId[] },
): Result<readonly Suggestion[], Refusal> {
  const units = new Set(step.unitIds);
  const ids = new Set(step.hunkIds);
  const hunks = suggestions.flatMap((suggestion) => suggestion.hunks).filter(({ id }) => ids.has(id));
  const taken = hunks.filter(
    ({ state, decision }) => state !== "open" || decision === undefined || !units.has(decision.unitId),
  );
  if (taken.length > 0) return err(refusal("SUGGESTION_DECIDED", { hunk_ids: taken.map(({ id }) => id) }));
  return ok(
    changed(suggestions, (hunk) =>
      ids.has(hunk.id) && hunk.decision !== undefined ? { ...hunk, state: hunk.decision.outcome } : hunk,
    ),
  );
}

/** Those of the suggestions in which a hunk becomes another, at their next version. */
function changed(
  suggestions: readonly Suggestion[],
  become: (hunk: SuggestedHunk) => SuggestedHunk,
): readonly Suggestion[] {
  return suggestions.flatMap((suggestion) => {
    const hunks = suggestion.hunks.map(become);
    const same = hunks.every((hunk, index) => hunk === suggestion.hunks[index]);
    return same ? [] : [{ ...suggestion, version: suggestion.version + 1, hunks }];
  });
}
