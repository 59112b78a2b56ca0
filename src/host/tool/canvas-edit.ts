import { assert } from "../../core/base/assert.ts";
import { errorTable, refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { carryOver } from "../../core/block/change/carry-over.ts";
import { revisionId } from "../../core/block/revision.ts";
import { applyChanges } from "../../core/block/change/text-change.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import type { TextChange } from "../../core/text/types.ts";
import type { SuggestedEdit, Suggester } from "../document/review/suggestions.ts";
import type { LeaseGrant } from "../lease/types.ts";
import { ranOut } from "../lease/ran-out.ts";
import { cancelledCall } from "./answer.ts";
import type { BlockToolRun } from "./runnable.ts";

/** A canvas as a run sees it: under the policy Suggest with the run's own open suggestions in it. */
export interface SeenCanvas {
  readonly header: BlockHeader;
  readonly text: string;
  readonly revisionId: string;
  /** How many hunks of the run's own are in it, and how many more wait whose lines have changed; 0 under other policies. */
  readonly openHunks: number;
  readonly conflictingHunks: number;
}

/** Changes to a canvas, and the text that they were planned for. */
export interface PlannedEdit {
  readonly base: string;
  readonly changes: readonly TextChange[];
}

/** Reads a canvas as a run sees it. */
export async function seenCanvas(canvasId: BlockId, run: BlockToolRun): Promise<Result<SeenCanvas, Refusal>> {
  const { hub } = run.ports;
  const now = await hub.reader.read(canvasId);
  if (!now.ok) return now;
  const { leaseHolder } = run;
  const seen =
    now.value.header.policy === "suggest" && leaseHolder !== null
      ? await hub.suggestions.view(canvasId, leaseHolder)
      : ok({ header: now.value.header, text: now.value.text, openHunks: 0, conflictingHunks: 0 });
  if (!seen.ok) return seen;
  const { header, text } = seen.value;
  return ok({ ...seen.value, revisionId: revisionId(header.version, text) });
}

/** Notes under a lease what its holder was shown, as the base of what it edits next. */
export function noteSeen(
  leaseId: LeaseGrant["leaseId"],
  seen: Pick<SeenCanvas, "header" | "text" | "revisionId">,
  { ports: { leases } }: BlockToolRun,
): void {
  const { header, text, revisionId: id } = seen;
  if (header.policy === "suggest") leases.noteView(leaseId, { revisionId: id, version: header.version, text });
  else leases.noteRevision(leaseId, id);
}

/** How an edit was taken as a suggestion. */
export interface TakenEdit extends SuggestedEdit {
  readonly revisionId: string;
  /** Others wrote since the text that it was planned for. */
  readonly merged: boolean;
}

interface EditToReview {
  readonly grant: LeaseGrant;
  /** Plans it for the text that the run sees, unless it was planned for an earlier one. */
  readonly plan: (seen: string) => Result<PlannedEdit, Refusal>;
  /** Of the patch, where it is one. */
  readonly patchHash: string | null;
  readonly dryRun?: boolean | undefined;
}

/** Takes an agent's edit of a canvas as a suggestion, under its lease. */
export async function suggestEdit(edit: EditToReview, run: BlockToolRun): Promise<Result<TakenEdit, Refusal>> {
  const { hub, leases } = run.ports;
  const { grant, plan, patchHash, dryRun = false } = edit;
  let merged = false;
  const suggested = await hub.suggestions.suggest(await suggester(run), {
    canvasId: grant.canvasId,
    reason: "policy",
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
 * Keeps an edit as a suggestion that came too late, because a person has taken the canvas; whatever its policy. Gives what
 * the model is told: the refusal, and that its edit is not lost.
 */
export async function keepLateEdit(
  refused: Refusal,
  { grant, edit }: { readonly grant: LeaseGrant; readonly edit: () => Promise<Result<PlannedEdit, Refusal>> },
  run: BlockToolRun,
): Promise<Refusal> {
  const { hub, leases } = run.ports;
  const isStale = refused.code === "STALE_EPOCH";
  if (!isStale && !run.signal.aborted) return refused;
  // Whose lease ran out has lost nothing to a person: it may check out again and edit for itself.
  if (!(await leases.wasTaken(grant))) return isStale ? ranOut(refused.details) : refused;
  const planned = await edit();
  if (!planned.ok) return refused;
  const { base, changes } = planned.value;
  const none: readonly StoreWrite[] = [];
  const kept = await hub.suggestions.suggest(await suggester(run), {
    canvasId: grant.canvasId,
    reason: "late-write",
    guards: none,
    plan: ({ text }) => ok(base === text ? applyChanges(text, changes) : carryOver(base, text, changes)),
  });
  if (!kept.ok) return refused;
  const { suggestion } = kept.value;
  const details = {
    ...refused.details,
    kept_as_suggestion: suggestion !== null,
    ...(suggestion === null ? {} : { suggestion_id: suggestion.id, suggested_hunks: suggestion.hunks.length }),
  };
  // Who has the canvas now is said where it is somebody else.
  const isTold = isStale && refused.message !== errorTable.STALE_EPOCH.sentence;
  const why = isTold ? refused.message : "A person took control before this edit was made, so it was not made.";
  const said = suggestion === null ? keptBeforeWords : keptWords;
  return refusal("STALE_EPOCH", details, `${why} ${said} Do not send it again, and stop editing unless you are asked.`);
}

const keptWords = "It is kept as a suggestion that a person may still take over.";
const keptBeforeWords = "What was on its way to these lines is kept as a suggestion already.";

async function suggester(run: BlockToolRun): Promise<Suggester> {
  const author = await run.author();
  const { actor } = author;
  assert(actor.type === "model", "only agents suggest");
  return { ...author, actor };
}
