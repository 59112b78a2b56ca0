import { must } from "../../core/base/assert.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { DraftId, RunId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { isBinaryFile } from "../../core/block/list-blocks.ts";
import { revisionId } from "../../core/block/revision.ts";
import type { BlockReading } from "../document/record/types.ts";
import type { LeaseGrant } from "../lease/types.ts";
import type { BlockToolRun } from "./runnable.ts";

/** What a tool does with a file of a draft: read it, or write in it under the draft's lease. */
export type DraftUse = "read" | "write";

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
  if (draft === undefined || runId === null || !isOfFolder || isBinaryFile(header)) return null;
  if (folder?.ok === true && folder.value.files.isGone(header)) return null;
  const entered = await hub.suggestions.enterDraft(header.id, draft);
  if (!entered.ok) return entered;
  const draftId = entered.value;
  if (draftId === null) return null;
  const grant = use === "read" ? ok(null) : await leaseFor(reading, { draftId, runId }, run);
  if (!grant.ok) return grant;
  const seen = await hub.suggestions.view(header.id, runId, draftId);
  return seen.ok ? ok({ reading: { ...reading, text: seen.value.text }, grant: grant.value }) : seen;
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
