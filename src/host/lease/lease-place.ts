import type { BlockId, DraftId } from "../../core/base/ids.ts";

/**
 * Returns the key under which a lease is stored: a canvas's own for the text that everybody shares, another one for each of
 * its drafts, so that agents in different drafts never wait for each other.
 */
export function leasePlace(canvasId: BlockId, draftId: DraftId | null): BlockId {
  return draftId === null ? canvasId : (`${canvasId}${mark}${draftId}` as BlockId);
}

/** Whether a lease's key is that of a draft, which no watcher of the canvas hears of. */
export function isDraftPlace(place: BlockId): boolean {
  return place.includes(mark);
}

const mark = "#";
