import { must } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { blockPath, isBinaryFile, isOnlyInDraft } from "../../core/block/list-blocks.ts";
import { revisionId } from "../../core/block/revision.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { blockNotFound } from "../document/block/closed-refusal.ts";
import type { AcceptedChange, BlockReading } from "../document/record/types.ts";
import type { WorkspaceFiles } from "../files/workspace-files-types.ts";
import type { LeaseGrant } from "../lease/types.ts";
import type { ToolOutput } from "./answer.ts";
import { blockIsMessage, readMessageBlock } from "./message-blocks.ts";
import { notSharedOr } from "./not-shared-here.ts";
import { isOverlaid, noteSeen, seenCanvas } from "./canvas-edit.ts";
import { openInDraft, readMade, type DraftUse } from "./draft-files.ts";
import type { BlockToolRun } from "./runnable.ts";

/** A block that the caller may use, as it is now; for an agent and a canvas, with the lease. */
export interface OpenedBlock {
  /** The text of a reviewed canvas is the one that the lease holder sees: see SeenCanvas. */
  readonly reading: BlockReading;
  readonly grant: LeaseGrant | null;
}

/**
 * Opens a block for a tool. On a canvas an agent needs the lease, whatever the tool; a person needs none. FILE_NOT_TEXT for a
 * file that is not text, unless `binary`: the tool only moves or deletes it. `draft`: a file is opened as the draft of the
 * agent's turn has it; without it, as everybody has it.
 */
export async function openForTool(
  blockId: BlockId,
  run: BlockToolRun,
  { binary = false, draft }: { readonly binary?: boolean; readonly draft?: DraftUse } = {},
): Promise<Result<OpenedBlock, Refusal>> {
  const { hub, leases } = run.ports;
  const message = await readMessageBlock(blockId, run);
  if (message !== null) return message.ok ? err(blockIsMessage(blockId)) : message;
  const shared = await hub.reader.read(blockId);
  const now = shared.ok || draft === undefined ? shared : ((await readMade(blockId, run)) ?? shared);
  if (!now.ok) {
    const type = now.error.code === "IN_TRASH" ? now.error.details?.["type"] : undefined;
    // What is in the trash is nobody's whose token reaches single documents.
    if (run.reach && type !== undefined) return err(blockNotFound(blockId));
    return type === undefined || isNamed(blockId, type, run) ? now : err(blockNotFound(blockId));
  }
  const { header } = now.value;
  if (isBinaryFile(header) && !binary) return err(refusal("FILE_NOT_TEXT", { path: blockPath(header) ?? null }));
  if (header.kind !== "file" && !isWithin(blockId, run)) return err(blockNotFound(blockId));
  const { leaseHolder: runId } = run;
  if (runId !== null && !isInReach(header, run)) {
    return err(notSharedOr(blockNotFound(blockId), { document: header }, run.reach));
  }
  // What an agent read or wrote of a folder that is away would not be what is there.
  if (runId !== null && run.folder?.ok === false && run.ports.folders.folderOf(header) !== null) return run.folder;
  if (header.policy !== undefined && !run.canvases) return err(blockNotFound(blockId));
  const inDraft = draft === undefined ? null : await openInDraft(now.value, draft, run);
  if (inDraft !== null) return inDraft;
  if (isOnlyInDraft(header)) return err(blockNotFound(blockId));
  if (header.policy === undefined || runId === null) return ok({ reading: now.value, grant: null });
  const taken = leases.grantOf(runId, blockId);
  if (taken === undefined) return err(refusal("LOCK_NOT_OWNED", { canvas_id: blockId }));
  const grant = await leases.use({ canvasId: blockId, leaseId: taken.leaseId, runId });
  if (!grant.ok) return grant;
  const seen = isOverlaid(header, grant.value) ? await seenCanvas(blockId, run) : ok(now.value);
  if (!seen.ok) return seen;
  const { text } = seen.value;
  return ok({ reading: { ...now.value, text }, grant: grant.value });
}

/** Opens a block to read it: a message too, which no tool can change as a block. */
export async function openToRead(
  blockId: BlockId,
  run: BlockToolRun,
): Promise<Result<Pick<OpenedBlock, "grant"> & { readonly reading: Omit<BlockReading, "textVersion"> }, Refusal>> {
  const message = await readMessageBlock(blockId, run);
  if (message === null) return openForTool(blockId, run, { draft: "read" });
  return message.ok ? ok({ reading: message.value, grant: null }) : message;
}

/** Returns the store conditions of a write to the block; undefined when no lease is needed. */
export function guardsOf({ grant }: OpenedBlock, run: BlockToolRun): readonly StoreWrite[] | undefined {
  return grant === null ? undefined : [run.ports.leases.guard(grant)];
}

/** Records a write in the lease and returns its revision. */
export function recordWrite({ grant }: OpenedBlock, run: BlockToolRun, change: AcceptedChange): string {
  const { version, text } = change;
  const revision = revisionId(version, text);
  if (grant !== null) run.ports.leases.noteWrite(grant.leaseId, { revisionId: revision, version, patchHash: null });
  return revision;
}

/** Records a read in the lease and returns its output. */
export function recordRead(
  { reading, grant }: Pick<OpenedBlock, "grant"> & { readonly reading: Omit<BlockReading, "textVersion"> },
  run: BlockToolRun,
  content: JsonObject,
): Result<ToolOutput, Refusal> {
  const { header, text } = reading;
  const revision = revisionId(header.version, text);
  if (grant !== null) noteSeen(grant.leaseId, { header, text, revisionId: revision }, run);
  return ok({ content, revisionId: revision });
}

/** Returns every stored block that the caller can reach, in a stable order: files first, then those of its own document. */
export async function reachableBlocks(run: BlockToolRun): Promise<readonly BlockHeader[]> {
  const { ports, documentId, canvases } = run;
  const own = await ports.hub.reader.list(documentId);
  const files = await ports.hub.reader.list(null);
  const inReach = files.filter(
    (header) =>
      header.documentId !== documentId &&
      !isBinaryFile(header) &&
      isInReach(header, run) &&
      (canvases || header.policy === undefined),
  );
  return [...inReach, ...own];
}

/** Whether a block is left out of what models receive: an agent finds it by its id alone. */
export function isLeftOut({ excluded }: Pick<BlockHeader, "excluded">, { leaseHolder }: BlockToolRun): boolean {
  return excluded && leaseHolder !== null;
}

/** Whether a caller may know of a file block: an agent of the files of its conversation's folder, and of canvases. */
export function isInReach(header: BlockHeader, run: BlockToolRun): boolean {
  const { folderId, leaseHolder, reach } = run;
  const { folders } = run.ports;
  if (reach && !isWithin(header.id, run) && !reach.document(header)) return false;
  if (leaseHolder === null || blockPath(header) === undefined) return true;
  return folders.folderOf(header) === folderId;
}

/** Returns the files of the caller's folder. Tools that need them run only when the folder can be used. */
export function filesOf({ folder }: BlockToolRun): WorkspaceFiles {
  return must(folder?.ok === true ? folder.value.files : null, "the folder can be used");
}

/** Returns whether the caller may know that a block of this type is in the trash: a document, or a block of its own. */
export function isNamed(blockId: string, type: unknown, run: BlockToolRun): boolean {
  return type !== "block" || isWithin(blockId, run);
}

/** Returns whether a block belongs to the caller's own document. */
export function isWithin(blockId: string, run: BlockToolRun): boolean {
  return blockId.startsWith(`${run.documentId}/`);
}
