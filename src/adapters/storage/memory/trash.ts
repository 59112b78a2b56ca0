import type { TrashId } from "../../../core/base/ids.ts";
import { trashedId, type TrashEntry } from "../../../core/forest/trash-entry.ts";
import type { TrashQuery } from "../../../core/port/store.ts";
import type { Draft } from "./draft.ts";
import type { MemoryTables } from "./tables.ts";

/** Records what is in the trash; false while another entry has the object. */
export function putTrash(draft: Draft, entry: TrashEntry): boolean {
  const known = trashedIn(draft.tables, trashedId(entry.object));
  const stored = draft.tables.trashById.get(entry.id);
  const keeps = stored === undefined || trashedId(stored.object) === trashedId(entry.object);
  if (!keeps || (known !== null && known.id !== entry.id)) return false;
  draft.set(draft.tables.trashById, entry.id, entry);
  return true;
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
