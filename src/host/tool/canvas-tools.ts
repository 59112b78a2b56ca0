import { refusal, type Refusal } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { BlockId, DraftId, LeaseId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { planPlaceEdits } from "../../core/block/markdown/place-edits.ts";
import { planPatch } from "../../core/block/patch/apply.ts";
import { parseRevisionId, revisionId } from "../../core/block/revision.ts";
import { byWords } from "../../core/block/change/word-changes.ts";
import { staleBase } from "../../core/lease/base-revision.ts";
import type { HeldLease } from "../../core/lease/types.ts";
import {
  canvasGrepContent,
  canvasGrepQuery,
  canvasOutlineContent,
  canvasReadAllContent,
  canvasReadLinesContent,
  checkedInContent,
  editSuggestedContent,
  draftContent,
  openHunksContent,
  checkedOutContent,
  editAppliedContent,
  renewedContent,
  type AppliedForm,
  type ShownCanvas,
} from "../../core/tool/canvas/canvas-content.ts";
import {
  canvasApplyPatch,
  canvasCheckIn,
  canvasCheckOut,
  canvasEdit,
  canvasGrep,
  canvasOutline,
  canvasReadAll,
  canvasReadLines,
  canvasRenewLease,
} from "../../core/tool/canvas/canvas-tools.ts";
import { present } from "../../core/tool/base/answer-content.ts";
import type { ToolInput } from "../../core/tool/base/types.ts";
import { canonicalJson } from "../../core/base/json.ts";
import type { TextChange } from "../../core/text/types.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { titleOf } from "../canvas/canvas-reading.ts";
import { whyMissing } from "../document/block/closed-refusal.ts";
import type { BlockReading } from "../document/record/types.ts";
import type { LeaseGrant } from "../lease/types.ts";
import { cancelledCall, type ToolOutput, type ToolRefusal } from "./answer.ts";
import {
  isOverlaid,
  keepLateEdit,
  noteSeen,
  seenCanvas,
  suggestEdit,
  type PlannedEdit,
  type SeenCanvas,
} from "./canvas-edit.ts";
import { picturesIn } from "./canvas-pictures.ts";
import { whyNotDocument } from "./document-within-reach.ts";
import { notSharedOr } from "./not-shared-here.ts";
import { runnable, type RunnableTool, type ToolRun } from "./runnable.ts";

type Output = Promise<Result<ToolOutput, ToolRefusal>>;

/** The canvas tools: an agent's only access to a canvas's text, always under a lease. */
export const runnableCanvasTools: readonly RunnableTool<ToolRun>[] = [
  runnable(canvasCheckOut, checkOut),
  runnable(canvasOutline, outline),
  runnable(canvasGrep, grep),
  runnable(canvasReadLines, readLines),
  runnable(canvasReadAll, readAll),
  runnable(canvasEdit, edit),
  runnable(canvasApplyPatch, applyPatch),
  runnable(canvasRenewLease, renewLease),
  runnable(canvasCheckIn, checkIn),
];

async function checkOut(input: ToolInput<typeof canvasCheckOut>, run: ToolRun): Output {
  const canvasId = input.canvas_id ?? run.context.canvasId;
  if (canvasId === null) return err(refusal("CANVAS_UNAVAILABLE"));
  const { hub } = run.ports;
  const draft = run.draft === undefined ? ok(null) : await hub.suggestions.enterDraft(canvasId, run.draft);
  if (!draft.ok) return draft.error.code === "BLOCK_NOT_FOUND" ? err(unknownCanvas(canvasId)) : draft;
  // Before the lease: from then on nothing that others do in the document may delay the answer.
  const open = await hub.comments.list(
    canvasId,
    (placed) => placed.filter((one) => one.thread.state === "open").length,
  );
  const taken = await takeLease(canvasId, draft.value, run);
  if (!taken.ok) return taken.error.code === "BLOCK_NOT_FOUND" ? err(unknownCanvas(canvasId)) : taken;
  const { lease, header } = taken.value;
  const shown = isOverlaid(header, { draftId: draft.value })
    ? await seenCanvas(canvasId, run)
    : ok(seenFrom(taken.value));
  if (!shown.ok) return shown;
  noteSeen(lease.leaseId, shown.value, run);
  const { text, revisionId: revision } = shown.value;
  const content = checkedOutContent({ ...lease, canvasId }, { text, revisionId: revision, title: titleOf({ header }) });
  const isReviewed = header.policy === "suggest" && draft.value === null;
  const policy = { ...(isReviewed ? { edit_policy: "suggest" } : {}), ...draftContent(draft.value) };
  const comments = open.ok && open.value > 0 ? { open_comments: open.value } : {};
  return ok({
    content: { ...content, ...policy, ...comments, ...openHunksContent(shown.value) },
    revisionId: revision,
    leaseId: lease.leaseId,
  });
}

/** A canvas as it was when its lease was taken. */
interface TakenLease extends BlockReading {
  readonly lease: HeldLease & { readonly epoch: number };
  readonly revision: string;
}

/**
 * Takes a canvas's lease, and reads the canvas under it. Nobody who types waits for the lease to be stored: the text is read
 * again afterwards.
 */
async function takeLease(
  canvasId: BlockId,
  draftId: DraftId | null,
  run: ToolRun,
): Promise<Result<TakenLease, Refusal>> {
  const { hub, leases } = run.ports;
  const before = await hub.reader.read(canvasId);
  if (!before.ok) return before;
  const { header } = before.value;
  if (run.reach && !run.reach.document(header)) {
    return err(notSharedOr(unknownCanvas(canvasId), { document: header }, run.reach));
  }
  if (header.policy === undefined) return err(refusal("CANVAS_UNAVAILABLE", { canvas_id: canvasId }));
  if (run.signal.aborted) return err(cancelledCall());
  const { runId, actor } = run.context;
  const wish = { canvasId, draftId, runId, holderName: actor.name, revisionId: revisionOf(before.value) };
  const lease = await leases.acquire(wish);
  if (!lease.ok) return lease;
  const now = await hub.reader.read(canvasId);
  if (!now.ok) {
    await leases.release({ canvasId, leaseId: lease.value.leaseId, runId });
    return now;
  }
  return ok({ ...now.value, lease: lease.value, revision: revisionOf(now.value) });
}

async function renewLease(input: ToolInput<typeof canvasRenewLease>, run: ToolRun): Output {
  const leaseId = input.lease_id;
  const canvasId = canvasOf(leaseId, run);
  if (!canvasId.ok) return canvasId;
  const renewed = await run.ports.leases.renew({ canvasId: canvasId.value, leaseId, runId: run.context.runId });
  if (!renewed.ok) return renewed;
  const { lastRevisionId: revisionId } = renewed.value;
  const content = renewedContent({ ...renewed.value, canvasId: canvasId.value }, revisionId);
  return ok({ content, revisionId, leaseId });
}

async function checkIn(input: ToolInput<typeof canvasCheckIn>, run: ToolRun): Output {
  const leaseId = input.lease_id;
  const { leases } = run.ports;
  const canvasId = canvasOf(leaseId, run);
  if (!canvasId.ok) return canvasId;
  const { runId } = run.context;
  const grant = leases.grant(leaseId);
  if (grant === undefined || grant.runId !== runId) return err(refusal("LOCK_NOT_OWNED", { lease_id: leaseId }));
  const released = await leases.release({ canvasId: canvasId.value, leaseId, runId });
  if (!released.ok) return released;
  const revisionId = grant.lastRevisionId;
  return ok({ content: checkedInContent(revisionId), revisionId, leaseId });
}

async function outline(input: ToolInput<typeof canvasOutline>, run: ToolRun): Output {
  return reading(input.lease_id, run, async (canvas) => canvasOutlineContent(canvas, input));
}

async function grep(input: ToolInput<typeof canvasGrep>, run: ToolRun): Output {
  return reading(input.lease_id, run, async ({ text, revisionId }) => {
    const found = await run.ports.searcher.search(text, canvasGrepQuery(input));
    return found.ok ? ok(canvasGrepContent(found.value, revisionId)) : found;
  });
}

async function readLines(input: ToolInput<typeof canvasReadLines>, run: ToolRun): Output {
  return reading(input.lease_id, run, async (canvas) => canvasReadLinesContent(canvas, input));
}

async function readAll(input: ToolInput<typeof canvasReadAll>, run: ToolRun): Output {
  return reading(input.lease_id, run, async (canvas) => ok(canvasReadAllContent(canvas, input)));
}

/** An edit of a canvas in any form. */
interface CanvasWrite {
  readonly leaseId: LeaseId;
  /** The revision that the edit is based on; default: the last one that its author was shown. */
  readonly baseRevisionId: string | undefined;
  /** Identifies the edit: the same one right after itself is refused. */
  readonly hash: string;
  plan(text: string): Result<PlannedWrite, Refusal>;
}

interface PlannedWrite {
  readonly changes: readonly TextChange[];
  readonly form: AppliedForm;
}

async function applyPatch(input: ToolInput<typeof canvasApplyPatch>, run: ToolRun): Output {
  return write(
    {
      leaseId: input.lease_id,
      baseRevisionId: input.base_revision_id,
      hash: sha256Hex(input.patch),
      plan: (text) => {
        const plan = planPatch(text, input.patch);
        return plan.ok ? ok({ changes: plan.value.changes, form: { type: "patch", plan: plan.value } }) : plan;
      },
    },
    run,
  );
}

async function edit(input: ToolInput<typeof canvasEdit>, run: ToolRun): Output {
  return write(
    {
      leaseId: input.lease_id,
      baseRevisionId: input.base_revision_id,
      hash: sha256Hex(canonicalJson(input.edits.map((each) => present({ ...each })))),
      plan: (text) => {
        const changes = planPlaceEdits(text, input.edits);
        return changes.ok
          ? ok({ changes: changes.value, form: { type: "places", edits: input.edits.length } })
          : changes;
      },
    },
    run,
  );
}

async function write(input: CanvasWrite, run: ToolRun): Output {
  const { leaseId } = input;
  const lacks = await whyNotLeased(leaseId, run);
  if (lacks !== null) return err(lacks);
  // Read first: the grant of a run that is being stopped is soon dropped.
  const known = run.ports.leases.grant(leaseId);
  const held = await useLease(leaseId, run);
  const late = (refused: Refusal, grant: LeaseGrant): Promise<Refusal> =>
    keepLateEdit(refused, { grant, edit: () => lateEdit(input, grant, run) }, run);
  if (!held.ok) {
    return err(known?.runId === run.context.runId ? await late(held.error, known) : held.error);
  }
  const written = await writeUnderLease(input, held.value, run);
  if (written.ok) return written;
  const refused = await late(written.error, held.value);
  const now = await seenCanvas(held.value.canvasId, run);
  return err(now.ok ? { ...refused, revisionId: now.value.revisionId } : refused);
}

async function writeUnderLease(input: CanvasWrite, grant: LeaseGrant, run: ToolRun): Output {
  const { hub, leases } = run.ports;
  const { leaseId } = grant;
  const { hash: patchHash } = input;
  if (grant.lastPatchHash === patchHash) return err(repeatedEdit());
  const now = await hub.reader.read(grant.canvasId);
  if (!now.ok) return now;
  if (isOverlaid(now.value.header, grant)) return suggestWrite(input, grant, run);
  const written = await writeAtBase(input, grant, run);
  if (!written.ok) return written;
  const { version, text } = written.value;
  const revision = revisionId(version, text);
  leases.noteWrite(leaseId, { revisionId: revision, version, patchHash });
  const content = editAppliedContent(written.value, { text, revisionId: revision });
  return ok({ content, revisionId: revision, leaseId });
}

/** Refuses a base text with open suggestions applied, after a person changed the policy from Suggest. */
function reviewEnded(baseId: string): Refusal {
  return refusal(
    "PATCH_REJECTED",
    { reason: "REVIEW_ENDED", base_revision_id: baseId, hunks: [] },
    "Edits of this canvas are no longer reviewed, so reads show it without your open suggestions; a person may still keep those. Nothing was changed. Read the canvas again and edit the text you see; do not repeat your suggestions.",
  );
}

function repeatedEdit(): Refusal {
  return refusal(
    "PATCH_REJECTED",
    { reason: "REPEATED", hunks: [] },
    "The same edit was just applied, so it was not applied again.",
  );
}

/** Applies the edit to the text that its author was shown, and stores it as a suggestion. */
async function suggestWrite(input: CanvasWrite, grant: LeaseGrant, run: ToolRun): Output {
  const base = await shownText(input.baseRevisionId ?? grant.lastRevisionId, grant, run);
  if (!base.ok) return base;
  const plan = input.plan(base.value);
  if (!plan.ok) return plan;
  const { changes, form } = plan.value;
  const taken = await suggestEdit({ grant, plan: () => ok({ base: base.value, changes }), patchHash: input.hash }, run);
  if (!taken.ok) return taken;
  const { suggestion, text, revisionId: revision } = taken.value;
  const patch = form.type === "patch" ? { plan: form.plan } : {};
  const content = editSuggestedContent(
    { ...taken.value, suggestedHunks: suggestion?.hunks.length ?? 0, ...patch, draftId: grant.draftId },
    { text, revisionId: revision },
  );
  return ok({ content, revisionId: revision, leaseId: grant.leaseId });
}

/** Returns the text of a reviewed canvas as its lease holder was shown it at a revision. */
async function shownText(id: string, grant: LeaseGrant, run: ToolRun): Promise<Result<string, Refusal>> {
  const view = grant.views.find((shown) => shown.revisionId === id.trim());
  if (view !== undefined) return ok(view.text);
  if (grant.draftId !== null) return err(unknownBase(id));
  const base = await readRevision(id, grant.canvasId, run);
  if (!base.ok) return base;
  // A revision of the canvas itself may be older than the suggestions under this lease.
  const { version } = base.value.header;
  const { lastWriteVersion, views } = grant;
  const ownSince = lastWriteVersion === null || views.length === 0 ? lastWriteVersion : lastWriteVersion + 1;
  const stale = staleBase({
    policy: "suggest",
    baseVersion: version,
    currentVersion: version,
    lastWriteVersion: ownSince,
  });
  return stale === undefined ? ok(base.value.text) : err(stale);
}

/** Plans the changes of an edit that arrived after a person took control. */
async function lateEdit(input: CanvasWrite, grant: LeaseGrant, run: ToolRun): Promise<Result<PlannedEdit, Refusal>> {
  if (grant.lastPatchHash === input.hash) return err(repeatedEdit());
  const base = await shownText(input.baseRevisionId ?? grant.lastRevisionId, grant, run);
  if (!base.ok) return base;
  const plan = input.plan(base.value);
  return plan.ok ? ok({ base: base.value, changes: plan.value.changes }) : plan;
}

/** Applies the edit to its base text; the text engine merges it with later changes. */
async function writeAtBase(input: CanvasWrite, grant: LeaseGrant, run: ToolRun) {
  const { hub, leases } = run.ports;
  const { canvasId, leaseId } = grant;
  const baseId = input.baseRevisionId ?? grant.lastRevisionId;
  const base = await readRevision(baseId, canvasId, run);
  if (!base.ok) return grant.views.some(({ revisionId: id }) => id === baseId.trim()) ? err(reviewEnded(baseId)) : base;
  const plan = input.plan(base.value.text);
  if (!plan.ok) return plan;
  let merged = false;
  const edited = await hub.editor.editWith(
    await run.author(),
    canvasId,
    ({ header }) => {
      if (run.signal.aborted) return err(cancelledCall());
      const stale = staleBase({
        policy: header.policy ?? "live",
        baseVersion: base.value.header.version,
        currentVersion: header.version,
        lastWriteVersion: leases.grant(leaseId)?.lastWriteVersion ?? null,
      });
      if (stale !== undefined) return err(stale);
      merged = header.version !== base.value.header.version;
      return ok({ changes: byWords(base.value.text, plan.value.changes), at: base.value.textVersion });
    },
    { guards: [leases.guard(grant)] },
  );
  if (!edited.ok) return edited;
  return ok({ ...edited.value, form: plan.value.form, merged });
}

/** Reads the canvas at a revision that the model names; an unknown revision is refused like a stale one. */
async function readRevision(id: string, canvasId: BlockId, run: ToolRun): Promise<Result<BlockReading, Refusal>> {
  const revision = parseRevisionId(id);
  const reading = revision === undefined ? null : await run.ports.hub.reader.readAt(canvasId, revision.version);
  if (reading?.ok === true && revisionOf(reading.value) === id.trim()) return reading;
  return err(unknownBase(id));
}

function unknownBase(id: string): Refusal {
  return refusal(
    "PATCH_REJECTED",
    { reason: "UNKNOWN_BASE", base_revision_id: id, hunks: [] },
    "base_revision_id is not a revision of this canvas. Nothing was changed. Give the revision_id of your last read, or omit it.",
  );
}

/** Reads the canvas under the lease; the text shown is the base of the next patch. */
async function reading(
  leaseId: LeaseId,
  run: ToolRun,
  show: (canvas: ShownCanvas) => Promise<Result<ToolOutput["content"], Refusal>>,
): Output {
  const lacks = await whyNotLeased(leaseId, run);
  if (lacks !== null) return err(lacks);
  const held = await useLease(leaseId, run);
  if (!held.ok) return held;
  const now = await seenCanvas(held.value.canvasId, run);
  if (!now.ok) return now;
  const { text, revisionId: revision } = now.value;
  const shown = await show({ text, revisionId: revision });
  if (!shown.ok) return err({ ...shown.error, revisionId: revision });
  noteSeen(leaseId, now.value, run);
  const { text: lines } = shown.value;
  const media = typeof lines === "string" ? await picturesIn(held.value.canvasId, lines, run.ports.blobs) : [];
  return ok({
    content: { ...shown.value, ...openHunksContent(now.value) },
    ...(media.length === 0 ? {} : { media }),
    revisionId: revision,
    leaseId,
  });
}

/**
 * Returns why a call may not do this to the canvas of a lease. A lease says who writes, not who may: a role may have been taken
 * since, or have been too low from the beginning.
 */
async function whyNotLeased(leaseId: LeaseId, run: ToolRun): Promise<Refusal | null> {
  const canvasId = canvasOf(leaseId, run);
  return canvasId.ok ? whyNotDocument(canvasId.value, run.reach ?? null, run) : null;
}

async function useLease(leaseId: LeaseId, run: ToolRun): Promise<Result<LeaseGrant, Refusal>> {
  const canvasId = canvasOf(leaseId, run);
  if (!canvasId.ok) return canvasId;
  const held = await run.ports.leases.use({ canvasId: canvasId.value, leaseId, runId: run.context.runId });
  if (held.ok) return held;
  // Where a person deleted the canvas, that says more than the end of the lease.
  const trashed = (await run.ports.store.trashed(canvasId.value)) !== null;
  return trashed ? err(await whyMissing(run.ports.store, canvasId.value)) : held;
}

/** Returns the canvas of a lease; for an unknown lease, the conversation's canvas. */
function canvasOf(leaseId: LeaseId, run: ToolRun): Result<BlockId, Refusal> {
  const canvasId = run.ports.leases.grant(leaseId)?.canvasId ?? run.context.canvasId;
  return canvasId === null ? err(refusal("CANVAS_UNAVAILABLE")) : ok(canvasId);
}

function seenFrom({ header, text, revision }: { header: BlockHeader; text: string; revision: string }): SeenCanvas {
  return { header, text, revisionId: revision, openHunks: 0, conflictingHunks: 0 };
}

function revisionOf({ header, text }: BlockReading): string {
  return revisionId(header.version, text);
}

/** Refuses every canvas in a workspace that keeps its documents only in git. */
export function noCanvasInGit(): Refusal {
  return refusal(
    "CANVAS_UNAVAILABLE",
    { git_only: true },
    "This workspace keeps its documents as files in git, so it has no canvases. Use the file tools instead.",
  );
}

function unknownCanvas(canvasId: BlockId): Refusal {
  return refusal("CANVAS_UNAVAILABLE", { canvas_id: canvasId });
}
