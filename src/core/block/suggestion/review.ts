import { refusal, type Refusal } from "../../base/errors.ts";
import type { HunkId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { openHunks, type HunkDecision, type SuggestedHunk, type Suggestion } from "./suggestion.ts";

/**
 * Returns the open hunks of a review step: the named hunks, each of which must exist and be open, or all open hunks. In the
 * order of the suggestions. Refuses with SUGGESTION_NOT_FOUND, also when nothing is open, or with SUGGESTION_DECIDED.
 */
export function chooseHunks(
  suggestions: readonly Suggestion[],
  named: readonly HunkId[] | undefined,
): Result<readonly SuggestedHunk[], Refusal> {
  const open = openHunks(suggestions);
  if (named === undefined) {
    return open.length > 0 ? ok(open) : err(refusal("SUGGESTION_NOT_FOUND", {}, "This canvas has no open suggestion."));
  }
  const known = new Set(suggestions.flatMap(({ hunks }) => hunks.map(({ id }) => id)));
  const unknown = named.filter((id) => !known.has(id));
  if (unknown.length > 0) return err(refusal("SUGGESTION_NOT_FOUND", { hunk_ids: unknown }));
  const wanted = new Set(named);
  const chosen = open.filter(({ id }) => wanted.delete(id));
  return wanted.size === 0 ? ok(chosen) : err(refusal("SUGGESTION_DECIDED", { hunk_ids: [...wanted] }));
}

/**
 * Returns those of the shown hunks that are still open; newer hunks are not part of the decision. Refuses with
 * SUGGESTION_DECIDED when none is left.
 */
export function chooseOf(
  suggestions: readonly Suggestion[],
  shown: readonly HunkId[],
): Result<readonly SuggestedHunk[], Refusal> {
  const wanted = new Set(shown);
  const chosen = openHunks(suggestions).filter(({ id }) => wanted.has(id));
  return chosen.length > 0 ? ok(chosen) : err(refusal("SUGGESTION_DECIDED", { hunk_ids: [...shown] }));
}

/** Returns the suggestions that a decision about these hunks changes, in their new state. */
export function decided(
  suggestions: readonly Suggestion[],
  hunkIds: readonly HunkId[],
  decision: HunkDecision,
): readonly Suggestion[] {
  const ids = new Set(hunkIds);
  return changed(suggestions, (hunk) => (ids.has(hunk.id) ? { ...hunk, state: decision.outcome, decision } : hunk));
}

/**
 * Returns the suggestions that change when their agent replaces its own hunks, in their new state. The text of a replaced
 * hunk is dropped, because nobody will decide about it and it may be the whole canvas with each call.
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

/** Returns the suggestions that an undo of these review steps opens again, in their new state. */
export function reopened(suggestions: readonly Suggestion[], unitIds: readonly string[]): readonly Suggestion[] {
  const units = new Set(unitIds);
  return changed(suggestions, (hunk) =>
    hunk.decision !== undefined && units.has(hunk.decision.unitId) && hunk.state === hunk.decision.outcome
      ? { ...hunk, state: "open" }
      : hunk,
  );
}

/**
 * Returns the suggestions that a redo of these review steps changes, in their new state. Refuses with SUGGESTION_DECIDED
 * when someone has decided otherwise about one of their hunks since the undo.
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

/** Returns the suggestions in which a hunk changes, at their next version. */
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
