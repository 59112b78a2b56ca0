import type { BlockId } from "../../../core/base/ids.ts";
import type { BlockChange, BlockHeader } from "../../../core/block/types.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { turnOfChange } from "../shared/turn-of-change.ts";
import type { Draft } from "./draft.ts";
import type { Placed } from "./placed.ts";
import { requestKey, type MemoryTables } from "./tables.ts";

type WriteOf<Type extends StoreWrite["type"]> = Extract<StoreWrite, { readonly type: Type }>;

/** Deletes changes; false when no snapshot covers them. */
export function trimChanges(
  draft: Draft,
  { blockId, beforeVersion, state }: Omit<WriteOf<"trim-changes">, "type">,
): boolean {
  const { tables } = draft;
  const snapshot = tables.snapshotsByBlock.get(blockId);
  if (snapshot === undefined || snapshot.version < beforeVersion) return false;
  const start = tables.logStartsByBlock.get(blockId);
  if (start !== undefined && start.beforeVersion >= beforeVersion) return true;
  draft.set(tables.logStartsByBlock, blockId, { blockId, beforeVersion, state });
  const changes = tables.changesByBlock.get(blockId) ?? [];
  const removed = changes.filter(({ value }) => value.version < beforeVersion);
  if (tables.headersById.get(blockId)?.value.kind === "file") {
    const turns = removed.flatMap(({ value }) => turnOfChange(value) ?? []);
    const known = tables.trimmedTurnsByBlock.get(blockId) ?? [];
    draft.set(tables.trimmedTurnsByBlock, blockId, new Set([...known, ...turns]));
  }
  forgetRequests(draft, removed);
  draft.set(tables.changesByBlock, blockId, changes.slice(removed.length));
  return true;
}

/** Returns a deleted block. */
export function deletedBlock(tables: MemoryTables, blockId: BlockId): BlockHeader | undefined {
  const header = tables.headersById.get(blockId)?.value;
  return header?.deletedAt === undefined ? undefined : header;
}

/** Purges a deleted block; false when it does not exist or has another version. */
export function purgeBlock(draft: Draft, { blockId, version }: WriteOf<"purge-block">): boolean {
  const { tables } = draft;
  if (deletedBlock(tables, blockId)?.version !== version) return false;
  const changes = tables.changesByBlock.get(blockId) ?? [];
  const removed = changes.filter(({ value }) => value.version < version);
  forgetRequests(draft, removed);
  draft.set(tables.changesByBlock, blockId, changes.slice(removed.length));
  draft.delete(tables.snapshotsByBlock, blockId);
  draft.delete(tables.logStartsByBlock, blockId);
  draft.delete(tables.trimmedTurnsByBlock, blockId);
  draft.delete(tables.wordsByBlock, blockId);
  draft.delete(tables.revisionsByCanvas, blockId);
  draft.delete(tables.draftRevisionsByCanvas, blockId);
  for (const { id, canvasId } of tables.suggestionsById.values()) {
    if (canvasId === blockId) draft.delete(tables.suggestionsById, id);
  }
  for (const thread of tables.threadsById.values()) {
    if (thread.blockId === blockId) draft.delete(tables.threadsById, thread.id);
  }
  return true;
}

function forgetRequests(draft: Draft, removed: readonly Placed<BlockChange>[]): void {
  for (const { value } of removed) {
    if (value.requestId === undefined) continue;
    draft.delete(draft.tables.versionsByRequest, requestKey(value.blockId, value.requestId));
  }
}
