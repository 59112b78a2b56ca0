import type { Actor } from "../base/actor.ts";
import type { BlockId, RootId, TrashId } from "../base/ids.ts";

/** How long the trash keeps what is deleted, in days, where nobody has set anything else. */
export const keptDaysDefault = 30;
/** The longest time that can be set, besides always. */
export const keptDaysMax = 365;

/** What was deleted. */
export type TrashedObject =
  | { readonly type: "canvas"; readonly blockId: BlockId }
  /** Another block: a part of a conversation, or a note. */
  | { readonly type: "block"; readonly blockId: BlockId };

/** Something that was deleted and can be restored until it is purged. */
export interface TrashEntry {
  readonly id: TrashId;
  readonly object: TrashedObject;
  /** The object's title when it was deleted. */
  readonly title: string;
  /** Who deleted it; a model with its run, turn and tool call. */
  readonly by: Actor;
  /** UTC milliseconds. */
  readonly at: number;
  /** When it is purged, UTC milliseconds; null for never. */
  readonly purgeAt: number | null;
}

/** Which object an entry is about, among all objects: an object is in the trash once. */
export function trashedId(object: TrashedObject): BlockId | RootId {
  return object.blockId;
}
