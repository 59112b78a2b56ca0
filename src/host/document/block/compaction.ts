/**
 * Letting go of the history that nobody needs any more: which changes that is, what is kept of what they led to, and what
 * the text's own history is compacted to. What is kept behaves as if nothing had gone.
 */

import { must } from "../../../core/base/assert.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { Logger } from "../../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { AgentId } from "../../../core/text/types.ts";
import type { Retention } from "../record/limits.ts";
import { keptFrom, logState, textVersions } from "../record/log-start.ts";
import type { OpenBlock } from "./open-block.ts";
import { countGone, later, unitsNamedBy, withOwners, type Compaction, type Later } from "../record/retention.ts";
import { UndoLedger } from "../record/undo-ledger.ts";

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
