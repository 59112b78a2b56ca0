/**
 * Letting go of the history that nobody needs any more: which changes that is, what is kept of what they led to, and what
 * the text's own history is compacted to. What is kept behaves as if nothing had gone.
 */

import { must } from "../../core/base/assert.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { Logger } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { AgentId, OpSpan } from "../../core/text/types.ts";
import type { Retention } from "./limits.ts";
import { keptFrom, logState, textVersions, type KeptFrom } from "./log-start.ts";
import type { OpenBlock } from "./open-block.ts";
import { UndoLedger } from "./undo-ledger.ts";

/** When it is worth a look again: from that time on (UTC milliseconds), or from that version on. */
export interface Later {
  readonly notBefore: number;
  readonly unlessVersion: number;
}

/** When a log that begins with this version is worth a look, as far as its length says. */
export function laterByLength(beforeVersion: number, { changesMin, stepChanges }: Retention): Later {
  return {
    notBefore: Number.POSITIVE_INFINITY,
    unlessVersion: beforeVersion - 1 + Math.max(1, changesMin) + stepChanges,
  };
}

/** What a block is to be compacted to. */
export interface Compaction {
  readonly from: KeptFrom;
  /** What can still be undone and redone. */
  readonly spans: readonly OpSpan[];
  /** The block's version when it was planned. */
  readonly version: number;
  /** Units of which nothing is kept. */
  readonly forgotten: (unitId: string) => boolean;
}

interface CompactionPorts {
  readonly store: Store;
  /** See Agents. */
  readonly ownerOf: (agent: AgentId) => Promise<AgentId>;
  readonly retention: Retention;
  readonly now: number;
  readonly logger: Logger;
}

/**
 * Compacts a block in memory and on disk. All that is long is read first; `inQueue` runs the rest while nothing else
 * happens to the block: it gives false when the disk has not what the memory has, which is to be dropped then.
 */
export async function compact(
  ports: CompactionPorts,
  block: OpenBlock,
  inQueue: (last: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const { store, retention, logger } = ports;
  const planned = await planCompaction(ports, block);
  if ("notBefore" in planned) return block.compactLater(planned);
  await inQueue(async () => {
    const since = await store.changes({ blockId: block.id, afterVersion: planned.version });
    if (!stillFits(planned, since)) return true;
    block.compact(planned, retention);
    const written = await store.commit(compactionWrites(block, planned));
    if (!written.ok) logger.warn("compaction-refused", { block: block.id, code: written.error.code });
    return written.ok;
  });
}

/** Reads a block's log and decides what of it goes. Everything it reads is on disk, whatever happens meanwhile. */
async function planCompaction(
  { store, ownerOf, retention, now }: CompactionPorts,
  block: OpenBlock,
): Promise<Compaction | Later> {
  const before = await keptFrom(store, block.id);
  const log = await store.changes({ blockId: block.id, afterVersion: before.beforeVersion - 1 });
  const gone = countGone(log, now, retention);
  if (gone < retention.stepChanges) return later(log, before.beforeVersion, retention);
  const ledger = new UndoLedger(before.undo);
  const owned = await withOwners(log, ownerOf);
  const beforeVersion = before.beforeVersion + gone;
  const older = owned.filter(({ change }) => change.version < beforeVersion);
  const newer = owned.slice(older.length);
  for (const { change, owner } of older) ledger.take(change, owner);
  const undo = ledger.stateFor(new Set(newer.flatMap(({ change }) => unitsNamedBy(change))));
  const kept = new UndoLedger(undo);
  for (const { change, owner } of newer) {
    ledger.take(change, owner);
    kept.take(change, owner);
  }
  const textVersion = must(
    textVersions(before, log.slice(0, gone)).get(beforeVersion - 1),
    "the version before the first change that is kept was read",
  );
  return {
    from: { beforeVersion, textVersion, undo },
    spans: kept.spans(),
    version: before.beforeVersion + log.length - 1,
    forgotten: (unitId) => ledger.has(unitId) && !kept.has(unitId),
  };
}

/** Whether what happened since it was planned needs nothing that it would let go of. */
function stillFits({ forgotten }: Compaction, since: readonly BlockChange[]): boolean {
  return !since.some((change) => unitsNamedBy(change).some(forgotten));
}

/** The text as it is with what is kept of its history, and the end of the rest, in one transaction. */
function compactionWrites(block: OpenBlock, { from }: Compaction): readonly StoreWrite[] {
  const { id: blockId, header, document } = block;
  return [
    { type: "put-snapshot", snapshot: { blockId, version: header.version, bytes: document.encode() } },
    { type: "trim-changes", blockId, beforeVersion: from.beforeVersion, state: logState(from) },
  ];
}

/** How many of the oldest changes need not be kept. The last one always is. */
export function countGone(log: readonly { readonly at: number }[], now: number, retention: Retention): number {
  const { length } = log;
  const oldest = Math.max(0, length - retention.changesMax);
  const recent = log.findIndex(({ at }) => at > now - retention.ageMs);
  const newest = Math.min(length - Math.max(1, retention.changesMin), recent === -1 ? length : recent);
  return Math.max(0, oldest, newest);
}

function later(log: readonly BlockChange[], beforeVersion: number, retention: Retention): Later {
  const { changesMax, stepChanges, ageMs } = retention;
  const byLength = laterByLength(beforeVersion, retention);
  const last = log[stepChanges - 1];
  if (last === undefined || beforeVersion - 1 + log.length < byLength.unlessVersion) return byLength;
  return { notBefore: last.at + ageMs, unlessVersion: beforeVersion - 1 + changesMax + stepChanges };
}

/** The units that a change is of, or that it turns over. */
export function unitsNamedBy({ what }: BlockChange): readonly string[] {
  if (what.type !== "text") return [];
  return what.undoes ?? what.redoes ?? [what.unit.id];
}

/** Changes of the text with the agent that each belongs to; the others with none that matters. */
export async function withOwners(
  log: readonly BlockChange[],
  ownerOf: (agent: AgentId) => Promise<AgentId>,
): Promise<readonly { readonly change: BlockChange; readonly owner: AgentId }[]> {
  const owners = new Map<AgentId, AgentId>();
  const owned: { readonly change: BlockChange; readonly owner: AgentId }[] = [];
  for (const change of log) {
    const by = change.what.type === "text" ? change.what.spans[0]?.agent : undefined;
    if (by === undefined) continue;
    const owner = owners.get(by) ?? (await ownerOf(by));
    owners.set(by, owner);
    owned.push({ change, owner });
  }
  return owned;
}
