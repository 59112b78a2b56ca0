import type { Actor } from "../../core/base/actor.ts";
import { timeSortedId, type TrashId } from "../../core/base/ids.ts";
import { keptDaysDefault, type TrashEntry, type TrashedObject } from "../../core/forest/trash-entry.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import { metaKeys } from "./meta-keys.ts";

export const dayMs = 24 * 60 * 60 * 1000;

/** Returns how many days the trash keeps what is deleted; null for always. */
export async function keptDays(store: Pick<Store, "meta">): Promise<number | null> {
  const stored = (await store.meta(metaKeys.trash))?.["keptDays"];
  return typeof stored === "number" || stored === null ? stored : keptDaysDefault;
}

/** What is about to go into the trash, and who deletes it. */
interface Deletion<Object extends TrashedObject> {
  readonly object: Object;
  readonly title: string;
  readonly by: Actor;
}

/** Makes the entry of a deletion now. `days`: see `keptDays`. */
export function trashEntry<Object extends TrashedObject>(
  { clock, random }: Pick<Platform, "clock" | "random">,
  days: number | null,
  { object, title, by }: Deletion<Object>,
): TrashEntry & { readonly object: Object } {
  const at = clock.now();
  const id = timeSortedId("trash", at, random.bytes(12)) as TrashId;
  return { id, object, title, by, at, purgeAt: purgeTime(at, days) };
}

/** When what was deleted at a time is purged; null for never. */
export function purgeTime(at: number, days: number | null): number | null {
  return days === null ? null : at + days * dayMs;
}
