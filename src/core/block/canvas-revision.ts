import type { Actor } from "../base/actor.ts";
import type { BlockId, NodeId } from "../base/ids.ts";

/**
 * A text of a canvas that was committed: people and agents write drafts, and the one that stands when a message is
 * appended is kept as a revision, if its text is another than the last one's. The store keeps the text with it, because
 * a block's history is let go of in time.
 */
export interface CanvasRevision {
  readonly canvasId: BlockId;
  /** `<version>-<hash8>`. */
  readonly revisionId: string;
  /** The canvas's version. */
  readonly version: number;
  /** SHA-256 of the text, 64 hex digits. */
  readonly hash: string;
  /** Who made the last change before it; a model with its turn and its tool call. */
  readonly actor: Actor;
  /** Names of others who changed the text since the revision before. */
  readonly alsoBy: readonly string[];
  /** The message with which it was committed. */
  readonly nodeId: NodeId;
  /** UTC milliseconds. */
  readonly at: number;
}

/** The texts of a canvas, as it is written and as it was last committed, by their whole hashes. */
export interface CanvasHashes {
  readonly draft: { readonly hash: string; readonly revisionId: string; readonly at: number };
  /** null before the first message of a conversation about the canvas. */
  readonly committed: { readonly hash: string; readonly revisionId: string; readonly at: number } | null;
}
