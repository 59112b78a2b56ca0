import type { BlockId } from "../../../core/base/ids.ts";
import type { BlockChange, BlockHeader } from "../../../core/block/types.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { turnOfChange } from "../turn-of-change.ts";
import type { Draft } from "./draft.ts";
import type { Placed } from "./placed.ts";
import { requestKey, type MemoryTables } from "./tables.ts";

type WriteOf<Type extends StoreWrite["type"]> = Extract<StoreWrite, { readonly type: Type }>;

/** Lets go of changes; false where no snapshot stands for them. */
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
  const gone = changes.filter(({ value }) => value.version < beforeVersion);
  const turns = gone.flatMap(({ value }) => turnOfChange(value) ?? []);
  const known = tables.trimmedTurnsByBlock.get(blockId) ?? [];
  draft.set(tables.trimmedTurnsByBlock, blockId, new Set([...known, ...turns]));
  forgetRequests(draft, gone);
  draft.set(tables.changesByBlock, blockId, changes.slice(gone.length));
  return true;
}

/** A file block that is no canvas. */
export function fileOf(tables: MemoryTables, blockId: BlockId): BlockHeader | undefined {
  const header = tables.headersById.get(blockId)?.value;
  return header?.kind === "file" && header.policy === undefined ? header : undefined;
}

/** Lets go of a file block; false where it is none, or at another version. */
export function purgeBlock(draft: Draft, { blockId, version, at }: WriteOf<"purge-block">): boolean {
  const { tables } = draft;
  const header = fileOf(tables, blockId);
  if (header?.version !== version) return false;
  draft.place(tables.headersById, blockId, { ...header, deletedAt: header.deletedAt ?? at });
  forgetRequests(draft, tables.changesByBlock.get(blockId) ?? []);
  draft.delete(tables.changesByBlock, blockId);
  draft.delete(tables.snapshotsByBlock, blockId);
  draft.delete(tables.logStartsByBlock, blockId);
  draft.delete(tables.trimmedTurnsByBlock, blockId);
  draft.delete(tables.wordsByBlock, blockId);
  return true;
}

function forgetRequests(draft: Draft, gone: readonly Placed<BlockChange>[]): void {
  for (const { value } of gone) {
    if (value.requestId === undefined) continue;
    draft.delete(draft.tables.versionsByRequest, requestKey(value.blockId, value.requestId));
  }
}
