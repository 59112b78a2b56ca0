import type { RequestId } from "../core/base/ids.ts";
import type { TextVersion } from "../core/text/types.ts";

/** Edits made here between two merges, as they travel: one push, one request id, sent again until the server answers. */
export interface Segment {
  readonly requestId: RequestId;
  readonly update: Uint8Array;
  /** Sequence numbers of this page's agent that the edits took: from `seq` up to, not including, `endSeq`. */
  readonly seq: number;
  readonly endSeq: number;
  readonly inserted: string;
  /** How many edits it holds. */
  readonly edits: number;
  sent: boolean;
  /** It was made before the undo or redo that is under way, and goes before it. */
  beforeHold: boolean;
}

/** Edits not yet put into a segment: everything since `base`, with nothing of others in between. */
export interface OpenEdits {
  readonly base: TextVersion;
  readonly seq: number;
  inserted: string;
  edits: number;
}

/** All text that was typed in these edits. */
export function wordsIn(edits: readonly Pick<Segment, "inserted">[]): string {
  return edits.map(({ inserted }) => inserted).join("");
}
