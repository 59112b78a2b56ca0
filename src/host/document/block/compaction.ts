/**
 * Compaction: selects the changes that no undo, watcher or version needs, and the state and snapshot that replace them.
 * Within the changes that are kept, a compacted block behaves as if nothing had been dropped.
 */

import { must } from "../../../core/base/assert.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { Logger } from "../../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import type { Retention } from "../record/limits.ts";
import { readLogStart, logState, textVersions } from "../record/log-start.ts";
import type { OpenBlock } from "./open-block.ts";
import {
  countDroppable,
  isWorthDropping,
  keptChange,
  nextCompaction,
  unitsNamedBy,
  withOwners,
  type Compaction,
  type CompactionDue,
} from "../record/retention.ts";
import { UndoLedger } from "../record/undo-ledger.ts";

interface CompactionPorts {
  readonly store: Store;
  /** See Agents. */
  readonly ownerOf: (replica: ReplicaId) => Promise<ReplicaId>;
  readonly retention: Retention;
  readonly now: number;
  readonly logger: Logger;
}

/**
 * Compacts a block in memory and on disk. The log is read first, beside the queue; `inQueue` runs the rest while nothing
 * else happens to the block. `last` resolves to false when the store refused the commit: the block in memory must be
 * dropped.
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

/** Reads a block's log and decides which changes to drop. It reads only committed data, so the queue may go on meanwhile. */
async function planCompaction(
  { store, ownerOf, retention, now }: CompactionPorts,
  block: OpenBlock,
): Promise<Compaction | CompactionDue> {
  const before = await readLogStart(store, block.id);
  const log = await store.changes({ blockId: block.id, afterVersion: before.beforeVersion - 1 });
  const changes = log.map(keptChange);
  const gone = countDroppable(changes, now, retention);
  if (!isWorthDropping(changes, gone, retention)) return nextCompaction(log, before.beforeVersion, retention);
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
    "the version before the first kept change was read",
  );
  return {
    from: { beforeVersion, textVersion, undo },
    spans: kept.spans(),
    version: before.beforeVersion + log.length - 1,
    forgotten: (unitId) => ledger.has(unitId) && !kept.has(unitId),
  };
}

/** Returns whether no change made since the planning names a unit that the compaction would forget. */
function stillFits({ forgotten }: Compaction, since: readonly BlockChange[]): boolean {
  return !since.some((change) => unitsNamedBy(change).some(forgotten));
}

/** Returns the writes of one transaction: a snapshot with the kept history, and the deletion of older changes. */
function compactionWrites(block: OpenBlock, { from }: Compaction): readonly StoreWrite[] {
  const { id: blockId, header } = block;
  return [
    { type: "put-snapshot", snapshot: { blockId, version: header.version, bytes: block.encodeSnapshot() } },
    { type: "trim-changes", blockId, beforeVersion: from.beforeVersion, state: logState(from) },
  ];
}
