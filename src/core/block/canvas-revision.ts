import type { Actor } from "../base/actor.ts";
import type { BlockId, DraftId, NodeId } from "../base/ids.ts";

/**
 * A committed text of a canvas: people and agents write drafts, and the text at the time a message is appended is stored as
 * a revision when it differs from the last one; so is a text that a person names. The store keeps the text with it, because a block's history is compacted
 * eventually.
 */
export interface CanvasRevision {
  readonly canvasId: BlockId;
  /** `<version>-<hash8>`. */
  readonly revisionId: string;
  /** The canvas's version. */
  readonly version: number;
  /** SHA-256 of the text, 64 hex digits. */
  readonly hash: string;
  /** The author of the last change before it; a model with its turn and its tool call. */
  readonly actor: Actor;
  /** Names of others who changed the text since the previous revision. */
  readonly alsoBy: readonly string[];
  /** The message with which it was committed; null where a person gave the text a name. */
  readonly nodeId: NodeId | null;
  /** UTC milliseconds. */
  readonly at: number;
}

/** A text of a canvas as a draft had it when a message was appended. The shared text and its revisions know nothing of it. */
export interface DraftRevision extends CanvasRevision {
  /** `<version>d<draft version>-<hash8>`. */
  readonly revisionId: string;
  readonly draftId: DraftId;
  /** How many texts of the draft were kept with this one; from 1. */
  readonly draftVersion: number;
}

/** A revision as lists show it. */
export interface NamedRevision extends CanvasRevision {
  /** The draft whose text it is, and its number there. Absent: the text that everybody shares. */
  readonly draftId?: DraftId;
  readonly draftVersion?: number;
  /** What a person called it; null without a name. */
  readonly name: string | null;
}

/** The SHA-256 hashes of a canvas's current text and of its last committed text. */
export interface CanvasHashes {
  readonly draft: { readonly hash: string; readonly revisionId: string; readonly at: number };
  /** null before the first message of a conversation about the canvas. */
  readonly committed: { readonly hash: string; readonly revisionId: string; readonly at: number } | null;
}
