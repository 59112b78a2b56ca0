import { isLiveBlock, placeOf } from "../../../core/block/live-block.ts";
import type { BlockChange, BlockHeader } from "../../../core/block/types.ts";
import type { ReplicaId, OpSpan } from "../../../core/text/types.ts";
import type { Retention } from "./limits.ts";
import type { LogStart } from "./log-start.ts";

/** The plan of a block's compaction. */
export interface Compaction {
  readonly from: LogStart;
  /** Operations that an undo or redo may still cancel. */
  readonly spans: readonly OpSpan[];
  /** The block's version when it was planned. */
  readonly version: number;
  /** Whether a unit is dropped by the compaction. */
  readonly forgotten: (unitId: string) => boolean;
}

/** When compaction is due again: from a time (UTC milliseconds), or from a block version. */
export interface CompactionDue {
  readonly notBefore: number;
  readonly unlessVersion: number;
}

/** The text of a live block is its message's once that is stored: nobody undoes it, and only its last change is kept. */
const storedMessage: Retention = {
  changesMin: 1,
  ageMs: 0,
  changesMax: 1,
  bytesMax: Number.POSITIVE_INFINITY,
  stepChanges: 1,
};

/** Returns what is kept of a block's history. */
export function retentionOf(header: BlockHeader, retention: Retention): Retention {
  return isStoredReply(header) ? storedMessage : retention;
}

/** Returns whether a live block has ended and its message is stored: pages show the message. */
export function isStoredReply(header: BlockHeader): boolean {
  if (!isLiveBlock(header) || placeOf(header) === null) return false;
  return header.status === "done" || header.status === "error";
}

/** Returns when a log that begins at `beforeVersion` is due, by its length alone. */
export function nextCompactionByLength(beforeVersion: number, { changesMin, stepChanges }: Retention): CompactionDue {
  return {
    notBefore: Number.POSITIVE_INFINITY,
    unlessVersion: beforeVersion - 1 + Math.max(1, changesMin) + stepChanges,
  };
}

/**
 * Returns when a log with too few changes to drop is due again. A long log drops at least an eighth at a time, because each
 * compaction reads all of it.
 */
export function nextCompaction(
  log: readonly { readonly at: number }[],
  beforeVersion: number,
  retention: Retention,
): CompactionDue {
  const { changesMax, stepChanges, ageMs } = retention;
  const byLength = nextCompactionByLength(beforeVersion, retention);
  if (beforeVersion - 1 + log.length < byLength.unlessVersion) return byLength;
  const oldest = log.slice(0, Math.max(stepChanges, Math.floor(log.length / 8)));
  return {
    // The clock may have been set back, so the latest timestamp counts.
    notBefore: oldest.reduce((latest, { at }) => Math.max(latest, at), 0) + ageMs,
    unlessVersion: beforeVersion - 1 + changesMax + Math.max(stepChanges, Math.floor(changesMax / 8)),
  };
}

/** What of a stored change decides how long it is kept. `bytes` of its update; absent for none. */
export interface KeptChange {
  readonly at: number;
  readonly bytes?: number;
}

export function keptChange({ at, body }: BlockChange): KeptChange {
  return body.type === "text" || body.type === "created" ? { at, bytes: body.update.length } : { at };
}

/** Returns whether enough can be dropped that it is worth reading and writing the log. */
export function isWorthDropping(log: readonly KeptChange[], gone: number, retention: Retention): boolean {
  return gone >= retention.stepChanges || (gone > 0 && bytesOf(log.slice(0, gone)) >= retention.bytesMax / 2);
}

/** Returns from how many bytes on a log is due, when it had `before` after it was last looked at. */
export function dueBytes({ bytesMax }: Retention, before: number): number {
  return Math.max(bytesMax, before) + bytesMax / 2;
}

function bytesOf(log: readonly KeptChange[]): number {
  return log.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
}

/** Returns how many of the oldest changes can be dropped. The last change is always kept. */
export function countDroppable(log: readonly KeptChange[], now: number, retention: Retention): number {
  const { length } = log;
  const oldest = Math.max(0, length - retention.changesMax);
  const recent = log.findIndex(({ at }) => at > now - retention.ageMs);
  const newest = Math.min(length - Math.max(1, retention.changesMin), recent === -1 ? length : recent);
  return Math.max(0, oldest, newest, countBeyond(log, retention.bytesMax));
}

/** Returns how many of the oldest changes are beyond the newest with so many bytes. */
function countBeyond(log: readonly KeptChange[], bytesMax: number): number {
  let sum = 0;
  for (let count = log.length; count > 0; count -= 1) {
    sum += log[count - 1]?.bytes ?? 0;
    if (sum > bytesMax) return Math.min(count, log.length - 1);
  }
  return 0;
}

/** Returns the units that a change belongs to or reverts. */
export function unitsNamedBy({ body }: BlockChange): readonly string[] {
  if (body.type !== "text" && body.type !== "review") return [];
  return body.undoes ?? body.redoes ?? [body.unit.id];
}

/** Returns the agent that wrote a change, or its server replica; undefined for a change that cannot be undone. */
function writerOf({ body }: BlockChange): ReplicaId | undefined {
  if (body.type === "review") return body.reviewer;
  if (body.type !== "text") return undefined;
  return body.kept?.reviewer ?? body.spans[0]?.replica;
}

/** Returns the changes that can be undone, each with the agent that owns it; omits the others. */
export async function withOwners(
  log: readonly BlockChange[],
  ownerOf: (replica: ReplicaId) => Promise<ReplicaId>,
): Promise<readonly { readonly change: BlockChange; readonly owner: ReplicaId }[]> {
  const owners = new Map<ReplicaId, ReplicaId>();
  const owned: { readonly change: BlockChange; readonly owner: ReplicaId }[] = [];
  for (const change of log) {
    const by = writerOf(change);
    if (by === undefined) continue;
    const owner = owners.get(by) ?? (await ownerOf(by));
    owners.set(by, owner);
    owned.push({ change, owner });
  }
  return owned;
}
