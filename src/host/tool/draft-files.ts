import { must } from "../../core/base/assert.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, DraftId, RunId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { blockPath, isBinaryFile } from "../../core/block/list-blocks.ts";
import { revisionId } from "../../core/block/revision.ts";
import type { BlockReading } from "../document/record/types.ts";
import { goneFrom } from "../files/trashed-files.ts";
import type { LeaseGrant } from "../lease/types.ts";
import { draftPlaces, notInDraft, pathIn } from "./draft-places.ts";
import type { BlockToolRun } from "./runnable.ts";

/**
 * What a tool does with a file of a draft: read it, or, under the draft's lease, write in it, or move or delete it, also one
 * that is not text.
 */
export type DraftUse = "read" | "write" | "place";

/** A file as a draft has it. */
interface DraftFile {
  readonly reading: BlockReading;
  readonly grant: LeaseGrant | null;
}

/**
 * Opens a file of a folder as the draft of an agent's turn has it: the disk is not changed until a person takes the draft. An
 * agent needs no check-out for it; the lease on its draft is taken with the first write. null where the turn works on the
 * file itself: it has no draft, the draft was taken or dropped, or there is no text on disk to lay it over.
 */
export async function openInDraft(
  reading: BlockReading,
  use: DraftUse,
  run: BlockToolRun,
): Promise<Result<DraftFile, Refusal> | null> {
  const { header } = reading;
  const { draft, leaseHolder: runId, folder } = run;
  const { hub, folders } = run.ports;
  const isOfFolder = header.kind === "file" && header.policy === undefined && folders.folderOf(header) !== null;
  if (draft === undefined || runId === null || !isOfFolder) return null;
  if (isBinaryFile(header) && use !== "place") return null;
  const path = blockPath(header) ?? "";
  const isGone = folder?.ok === true && folder.value.files.isGone(header);
  if (isGone && use === "place") return err(goneFrom(path));
  const entered = await hub.suggestions.enterDraft(header.id, draft);
  if (!entered.ok) return entered;
  const draftId = entered.value;
  if (draftId === null) return null;
  const grant = use === "read" ? ok(null) : await leaseFor(reading, { draftId, runId }, run);
  if (!grant.ok) return grant;
  const seen = await hub.suggestions.view(header.id, runId, draftId);
  if (!seen.ok) return seen;
  const { text, fileParts } = seen.value;
  const to = fileParts.map(pathIn).findLast((each) => each !== undefined);
  if (to === null) return err(notInDraft(path, "deleted"));
  const seenHeader = to === undefined ? header : { ...header, metadata: { ...header.metadata, path: to } };
  return ok({ reading: { ...reading, header: seenHeader, text }, grant: grant.value });
}

/** Reads a file that only the draft of a run has; null where the block is no such file. */
export async function readMade(blockId: BlockId, run: BlockToolRun): Promise<Result<BlockReading, Refusal> | null> {
  const { draft, leaseHolder: runId, ports } = run;
  if (draft === undefined || runId === null) return null;
  const { made } = await draftPlaces(run);
  if (!made.some(({ id }) => id === blockId)) return null;
  const seen = await ports.hub.suggestions.view(blockId, runId, draft.id);
  return seen.ok ? ok(seen.value) : seen;
}

/** Returns the run's lease on its draft of a file; null where it works in none. */
export async function draftLease(blockId: BlockId, run: BlockToolRun): Promise<Result<DraftLease, Refusal> | null> {
  const { draft, leaseHolder: runId, ports } = run;
  const now = await ports.hub.reader.read(blockId);
  if (draft === undefined || runId === null || !now.ok) return null;
  const entered = await ports.hub.suggestions.enterDraft(blockId, draft);
  if (!entered.ok) return entered;
  const draftId = entered.value;
  if (draftId === null) return null;
  const grant = await leaseFor(now.value, { draftId, runId }, run);
  return grant.ok ? ok({ ...grant.value, draftId }) : grant;
}

interface DraftLease extends LeaseGrant {
  readonly draftId: DraftId;
}

/** Uses the run's lease on the draft, or takes one. While a person writes there, the refusal says that they took over. */
async function leaseFor(
  { header, text }: BlockReading,
  { draftId, runId }: { readonly draftId: DraftId; readonly runId: RunId },
  run: BlockToolRun,
): Promise<Result<LeaseGrant, Refusal>> {
  const { leases } = run.ports;
  const known = leases.grantOf(runId, header.id);
  const used =
    known?.draftId === draftId ? await leases.use({ canvasId: header.id, leaseId: known.leaseId, runId }) : undefined;
  if (used?.ok === true) return used;
  const { actor } = await run.author();
  const shown = revisionId(header.version, text);
  const taken = await leases.acquire({
    canvasId: header.id,
    draftId,
    runId,
    holderName: actor.name,
    revisionId: shown,
  });
  if (!taken.ok) return used === undefined ? taken : err(used.error);
  return ok(must(leases.grant(taken.value.leaseId), "a lease that was taken has a grant"));
}
