import { assert } from "../../core/base/assert.ts";
import { errorTable, refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, DraftId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { carryOver } from "../../core/block/change/carry-over.ts";
import { revisionId } from "../../core/block/revision.ts";
import { applyChanges } from "../../core/block/change/text-change.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import type { TextChange } from "../../core/text/types.ts";
import type { SuggestedEdit, Suggester } from "../document/review/suggested-edit.ts";
import type { LeaseGrant } from "../lease/types.ts";
import { ranOut } from "../lease/ran-out.ts";
import { cancelledCall } from "./answer.ts";
import type { BlockToolRun } from "./runnable.ts";

/** A canvas as a run sees it: under the policy Suggest, with the run's own open suggestions applied. */
export interface SeenCanvas {
  readonly header: BlockHeader;
  readonly text: string;
  readonly revisionId: string;
  /** Open hunks of the run that are applied, and those whose lines have changed; 0 under other policies. */
  readonly openHunks: number;
  readonly conflictingHunks: number;
}

/** Changes to a canvas, and the text that they were planned against. */
export interface PlannedEdit {
  readonly base: string;
  readonly changes: readonly TextChange[];
}

/** Whether a run sees a canvas with its own edits laid over the shared text: in a draft, or under the policy Suggest. */
export function isOverlaid(
  { policy }: Pick<BlockHeader, "policy">,
  grant: Pick<LeaseGrant, "draftId"> | null,
): boolean {
  return policy === "suggest" || (grant !== null && grant.draftId !== null);
}

/** Returns the draft of a canvas that a run works in: its lease says so; without a lease, the turn. */
export function draftOf(canvasId: BlockId, { ports, leaseHolder, draft }: BlockToolRun): DraftId | null {
  if (leaseHolder === null) return null;
  const grant = ports.leases.grantOf(leaseHolder, canvasId);
  return grant === undefined ? (draft?.id ?? null) : grant.draftId;
}

/** Reads a canvas as a run sees it. */
export async function seenCanvas(canvasId: BlockId, run: BlockToolRun): Promise<Result<SeenCanvas, Refusal>> {
  const { hub } = run.ports;
  const now = await hub.reader.read(canvasId);
  if (!now.ok) return now;
  const { leaseHolder } = run;
  const draftId = draftOf(canvasId, run);
  const seen =
    leaseHolder !== null && isOverlaid(now.value.header, { draftId })
      ? await hub.suggestions.view(canvasId, leaseHolder, draftId)
      : ok({ header: now.value.header, text: now.value.text, openHunks: 0, conflictingHunks: 0 });
  if (!seen.ok) return seen;
  const { header, text } = seen.value;
  return ok({ ...seen.value, revisionId: revisionId(header.version, text) });
}

/** Records in a lease the text that its holder was shown, as the base of its next edit. */
export function noteSeen(
  leaseId: LeaseGrant["leaseId"],
  seen: Pick<SeenCanvas, "header" | "text" | "revisionId">,
  { ports: { leases } }: BlockToolRun,
): void {
  const { header, text, revisionId: id } = seen;
  if (isOverlaid(header, leases.grant(leaseId) ?? null))
    leases.noteView(leaseId, { revisionId: id, version: header.version, text });
  else leases.noteRevision(leaseId, id);
}

/** An edit stored as a suggestion. */
export interface StoredSuggestion extends SuggestedEdit {
  readonly revisionId: string;
  /** Whether others have written since the text that the edit was planned against. */
  readonly merged: boolean;
}

interface EditToReview {
  readonly grant: LeaseGrant;
  /** Plans the edit against the text that the run sees, or an earlier one. */
  readonly plan: (seen: string) => Result<PlannedEdit, Refusal>;
  /** The patch's hash; null when the edit is not a patch. */
  readonly patchHash: string | null;
  readonly dryRun?: boolean | undefined;
}

/** Stores an agent's edit of a canvas as a suggestion, under its lease. */
export async function suggestEdit(edit: EditToReview, run: BlockToolRun): Promise<Result<StoredSuggestion, Refusal>> {
  const { hub, leases } = run.ports;
  const { grant, plan, patchHash, dryRun = false } = edit;
  let merged = false;
  const suggested = await hub.suggestions.suggest(await suggester(run), {
    canvasId: grant.canvasId,
    reason: grant.draftId === null ? "policy" : "draft",
    draftId: grant.draftId,
    guards: [leases.guard(grant)],
    dryRun,
    plan: ({ text }) => {
      if (run.signal.aborted) return err(cancelledCall());
      const planned = plan(text);
      if (!planned.ok) return planned;
      merged = planned.value.base !== text;
      return ok(carryOver(planned.value.base, text, planned.value.changes));
    },
  });
  if (!suggested.ok) return suggested;
  const { header, text } = suggested.value;
  const id = revisionId(header.version, text);
  if (!dryRun)
    leases.noteSuggested(grant.leaseId, { view: { revisionId: id, version: header.version, text }, patchHash });
  return ok({ ...suggested.value, revisionId: id, merged });
}

/**
 * Keeps a late write as a suggestion, because a person took control of the canvas, whatever its policy. Returns the refusal
 * for the model, which says that the edit is not lost.
 */
export async function keepLateEdit(
  refused: Refusal,
  { grant, edit }: { readonly grant: LeaseGrant; readonly edit: () => Promise<Result<PlannedEdit, Refusal>> },
  run: BlockToolRun,
): Promise<Refusal> {
  const { hub, leases } = run.ports;
  const isStale = refused.code === "STALE_EPOCH";
  if (!isStale && !run.signal.aborted) return refused;
  // A run whose lease expired lost nothing to a person: it may check out again and repeat the edit.
  if (!(await leases.wasTaken(grant))) return isStale ? ranOut(refused.details) : refused;
  const planned = await edit();
  if (!planned.ok) return refused;
  const { base, changes } = planned.value;
  const none: readonly StoreWrite[] = [];
  const suggested = await hub.suggestions.suggest(await suggester(run), {
    canvasId: grant.canvasId,
    reason: "late-write",
    draftId: grant.draftId,
    guards: none,
    plan: ({ text }) => ok(base === text ? applyChanges(text, changes) : carryOver(base, text, changes)),
  });
  if (!suggested.ok) return refused;
  const { suggestion } = suggested.value;
  const details = {
    ...refused.details,
    kept_as_suggestion: suggestion !== null,
    ...(suggestion === null ? {} : { suggestion_id: suggestion.id, suggested_hunks: suggestion.hunks.length }),
  };
  // The refusal already names the new holder when there is one.
  const namesHolder = isStale && refused.message !== errorTable.STALE_EPOCH.sentence;
  const why = namesHolder
    ? refused.message
    : "A person took control before this edit was applied, so it was not applied.";
  const kept = suggestion === null ? alreadyKeptSentence : keptSentence;
  return refusal("STALE_EPOCH", details, `${why} ${kept} Do not send it again, and stop editing unless you are asked.`);
}

const keptSentence = "It is kept as a suggestion that a person may still accept.";
const alreadyKeptSentence = "An edit of these lines is already kept as a suggestion.";

/** Returns the caller as the author of suggestions. */
export async function suggester(run: BlockToolRun): Promise<Suggester> {
  const author = await run.author();
  const { actor } = author;
  assert(actor.type === "model", "only agents suggest");
  return { ...author, actor };
}
