import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { revisionId } from "../../core/block/revision.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { blockNotFound } from "../document/block/why-closed.ts";
import type { AcceptedChange, BlockReading } from "../document/record/types.ts";
import type { LeaseGrant } from "../lease/types.ts";
import type { ToolOutput } from "./answer.ts";
import { noteSeen, seenCanvas } from "./canvas-edit.ts";
import type { BlockToolRun } from "./runnable.ts";

/** A block that may be touched, as it is now; with the lease that allows it where an agent works on a canvas. */
export interface OpenedBlock {
  /** The text of a canvas whose edits are reviewed is what its lease's holder sees: see SeenCanvas. */
  readonly reading: BlockReading;
  readonly grant: LeaseGrant | null;
}

/** On a canvas an agent needs the canvas's lease whatever tool it takes; a person is refused by the policy, where at all. */
export async function open(blockId: BlockId, run: BlockToolRun): Promise<Result<OpenedBlock, Refusal>> {
  const { hub, leases } = run.ports;
  const now = await hub.reader.read(blockId);
  if (!now.ok) return now;
  const { header } = now.value;
  if (header.kind !== "file" && !isWithin(blockId, run)) return err(blockNotFound(blockId));
  const { leaseHolder: runId } = run;
  if (header.policy === undefined || runId === null) return ok({ reading: now.value, grant: null });
  const taken = leases.grantOf(runId, blockId);
  if (taken === undefined) return err(refusal("LOCK_NOT_OWNED", { canvas_id: blockId }));
  const grant = await leases.use({ canvasId: blockId, leaseId: taken.leaseId, runId });
  if (!grant.ok) return grant;
  const seen = header.policy === "suggest" ? await seenCanvas(blockId, run) : ok(now.value);
  if (!seen.ok) return seen;
  const { text } = seen.value;
  return ok({ reading: { ...now.value, text }, grant: grant.value });
}

/** The condition under which a write to the block belongs into the store; none where no lease is needed. */
export function guardsOf({ grant }: OpenedBlock, run: BlockToolRun): readonly StoreWrite[] | undefined {
  return grant === null ? undefined : [run.ports.leases.guard(grant)];
}

/** The revision that a write made, and that the lease's holder has made it. */
export function wrote({ grant }: OpenedBlock, run: BlockToolRun, change: AcceptedChange): string {
  const { version, text } = change;
  const revision = revisionId(version, text);
  if (grant !== null) run.ports.leases.noteWrite(grant.leaseId, { revisionId: revision, version, patchHash: null });
  return revision;
}

/** What was read, and that the lease's holder has seen it. */
export function shown(
  { reading, grant }: OpenedBlock,
  run: BlockToolRun,
  content: JsonObject,
): Result<ToolOutput, Refusal> {
  const { header, text } = reading;
  const revision = revisionId(header.version, text);
  if (grant !== null) noteSeen(grant.leaseId, { header, text, revisionId: revision }, run);
  return ok({ content, revisionId: revision });
}

/** Every block that the caller can reach, in a stable order: those of its own document, then files. */
export async function reachableBlocks({ ports, documentId }: BlockToolRun): Promise<readonly BlockHeader[]> {
  const own = await ports.hub.reader.list(documentId);
  const files = await ports.hub.reader.list(null);
  return [...own, ...files.filter((header) => header.documentId !== documentId)];
}

/** Whether a block is of the caller's own document. */
export function isWithin(blockId: string, run: BlockToolRun): boolean {
  return blockId.startsWith(`${run.documentId}/`);
}
