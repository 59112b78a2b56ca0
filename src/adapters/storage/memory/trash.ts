import type { TrashId } from "../../../core/base/ids.ts";
import { trashedId, type TrashEntry } from "../../../core/forest/trash-entry.ts";
import type { StoreWrite, TrashQuery } from "../../../core/port/store.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { Draft } from "./draft.ts";
import type { MemoryTables } from "./tables.ts";

type WriteOf<Type extends StoreWrite["type"]> = Extract<StoreWrite, { readonly type: Type }>;

/** Records what is in the trash; false while another entry has the object. */
export function putTrash(draft: Draft, entry: TrashEntry): boolean {
  const known = trashedIn(draft.tables, trashedId(entry.object));
  const stored = draft.tables.trashById.get(entry.id);
  const keeps = stored === undefined || trashedId(stored.object) === trashedId(entry.object);
  if (!keeps || (known !== null && known.id !== entry.id)) return false;
  draft.set(draft.tables.trashById, entry.id, entry);
  return true;
}

/** Hides a conversation; false while one of its runs is not idle. */
export function trashRoot(draft: Draft, { rootId, at }: WriteOf<"trash-root">): boolean {
  const { tables } = draft;
  const root = tables.rootsById.get(rootId)?.value;
  if (root === undefined) return true;
  for (const { value } of tables.runsById.values()) {
    if (value.rootId === rootId && !isSettled(value.state)) return false;
  }
  const { configHash: _, ...rest } = root;
  draft.place(tables.rootsById, rootId, rest);
  draft.set(tables.trashedRoots, rootId, at);
  return true;
}

/** Drops the messages of an entry, and makes their ids usable again where they are restored. */
export function dropTrashedNodes(draft: Draft, { trashId, restores }: WriteOf<"drop-trashed-nodes">): void {
  const { tables } = draft;
  if (restores) for (const { id } of tables.trashedNodes.get(trashId) ?? []) draft.delete(tables.deletedNodes, id);
  draft.delete(tables.trashedNodes, trashId);
}

export function trashIn({ trashById }: MemoryTables, { before, limit }: TrashQuery): readonly TrashEntry[] {
  return [...trashById.values()]
    .filter(({ id }) => before === null || id < before)
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

export function trashedIn({ trashById }: MemoryTables, objectId: string): TrashEntry | null {
  return [...trashById.values()].find(({ object }) => trashedId(object) === objectId) ?? null;
}

export function dueTrashIn({ trashById }: MemoryTables, at: number, limit: number): readonly TrashEntry[] {
  return [...trashById.values()]
    .filter(({ purgeAt }) => purgeAt !== null && purgeAt <= at)
    .toSorted((a, b) => (a.purgeAt ?? 0) - (b.purgeAt ?? 0) || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}

export function trashEntryIn({ trashById }: MemoryTables, id: TrashId): TrashEntry | null {
  return trashById.get(id) ?? null;
}
