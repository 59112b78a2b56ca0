import type { RootId } from "../../../core/base/ids.ts";
import type { StoreWrite } from "../../../core/port/store.ts";

/**
 * The newest entries of a conversation's feed that are kept, for a reader whose connection broke: some fifteen steps of a turn.
 * A reader who missed more gets a snapshot, which is no longer than so many entries.
 */
export const feedKept = 128;
/** Entries are deleted so many at a time. */
const stepEntries = 64;

/** Returns what goes with the entry `lastSeq` into one transaction, so that the feed stays bounded; `added` with that one. */
export function trimsOfFeed(rootId: RootId, lastSeq: number, added: number): readonly StoreWrite[] {
  const crosses = Math.floor(lastSeq / stepEntries) > Math.floor((lastSeq - added) / stepEntries);
  const beforeSeq = lastSeq - feedKept + 1;
  return crosses && beforeSeq > 1 ? [{ type: "trim-feed", rootId, beforeSeq }] : [];
}
