import type { Actor } from "../base/actor.ts";
import type { BlockId, FolderId, NodeId, RootId, ThreadId, TrashId } from "../base/ids.ts";
import type { Bookmark } from "./types.ts";

/** How long the trash keeps what is deleted, in days, where nobody has set anything else. */
export const keptDaysDefault = 30;
/** The longest time that can be set, besides always. */
export const keptDaysMax = 365;

/** What was deleted. */
export type TrashedObject =
  | { readonly type: "canvas"; readonly blockId: BlockId }
  /** Another block: a part of a conversation, or a note. */
  | { readonly type: "block"; readonly blockId: BlockId }
  /** A file of a folder: it has left the disk too, and its block keeps its text. `folderId` null: of the first folder. */
  | {
      readonly type: "file";
      readonly blockId: BlockId;
      /** Where it was when it was deleted. */
      readonly path: string;
      readonly folderId: FolderId | null;
    }
  /** A thread of comments on a document. */
  | { readonly type: "thread"; readonly threadId: ThreadId; readonly of: BlockId }
  | {
      readonly type: "conversation";
      readonly rootId: RootId;
      /** The sub-agents' conversations that went with it. */
      readonly agents: readonly RootId[];
      readonly bookmarks: readonly Bookmark[];
    }
  | {
      readonly type: "branch";
      readonly rootId: RootId;
      /** Its first message, and the one above, null at the top. */
      readonly nodeId: NodeId;
      readonly parentId: NodeId | null;
      /** How many messages it has. */
      readonly messages: number;
      readonly bookmarks: readonly Bookmark[];
    };

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
export function trashedId(object: TrashedObject): BlockId | RootId | NodeId | ThreadId {
  switch (object.type) {
    case "canvas":
    case "block":
    case "file":
      return object.blockId;
    case "thread":
      return object.threadId;
    case "conversation":
      return object.rootId;
    case "branch":
      return object.nodeId;
  }
}

/** The conversation that an entry is in; null for one that is in none. It is purged with it. */
export function conversationOf(object: TrashedObject): RootId | null {
  return object.type === "branch" ? object.rootId : null;
}
