import type { Actor } from "../base/actor.ts";
import type { JsonObject } from "../base/json.ts";
import type { Message } from "../message/types.ts";
import type { Usage } from "../message/usage.ts";
import type { Compacts, EditedReply, ModelRequestFacts, NodeVariant, TextAuthor } from "./types.ts";

/** The fields of every node on its way between two forests. Ids are those of the source. */
export interface PortableTreeNode {
  readonly id: string;
  /** null for a first message. */
  readonly parentId: string | null;
  readonly message: Message;
}

/** What requests to models used and cost, in an export: for its readers; an import counts nothing of it as spent. */
export interface PortableSpent {
  readonly usage: Usage;
  /** In US dollars, at the prices that were known when it was exported. */
  readonly dollars: number;
  /** Requests that were answered. */
  readonly requests: number;
  /** Requests of models without known prices; they are in no sum of dollars. */
  readonly unpriced: number;
}

/** A node in an export: everything that belongs to it, and nothing of its workspace. */
export interface PortableNode extends PortableTreeNode {
  readonly actor: Actor;
  readonly usage: Usage | null;
  readonly createdAt: number;
  readonly tags?: readonly string[];
  readonly customData?: JsonObject;
  readonly splitFrom?: string;
  readonly continues?: string;
  readonly request?: ModelRequestFacts;
  readonly variants?: readonly NodeVariant[];
  readonly authors?: readonly TextAuthor[];
  readonly edited?: EditedReply;
  readonly excluded?: true;
  readonly collapsed?: true;
  readonly compacts?: PortableCompacts;
  /** Of the request that produced the message, and of those with an equal answer. */
  readonly spent?: PortableSpent;
}

/** What a compaction node replaces, by the ids of the source. */
interface PortableCompacts extends Omit<Compacts, "through"> {
  readonly through: string | null;
}

/** The parts of a conversation that an export keeps besides its messages. */
interface PortableRoot {
  readonly title: string;
  readonly systemPrompt: string;
  readonly model: string;
}

/** A bookmark of an export. */
export interface PortableBookmark {
  readonly title: string;
  /** null: the root itself. */
  readonly nodeId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The bytes of an image or a file that a message names. */
export interface PortableBlob {
  /** Their SHA-256, 64 hex digits. */
  readonly id: string;
  /** In base64. */
  readonly data: string;
}

/** The name of the export format, and the version that this release writes and reads. */
export const exportFormat = "heddle-forest";
export const exportVersion = 1;

/** The file format of a conversation, or of a part of it that begins with its first messages. */
export interface ForestExport {
  readonly format: typeof exportFormat;
  readonly version: typeof exportVersion;
  readonly root: PortableRoot;
  /** The sum over the exported messages. */
  readonly spent?: PortableSpent;
  /** Parents before children. */
  readonly nodes: readonly PortableNode[];
  readonly bookmarks: readonly PortableBookmark[];
  /** The included blobs; a message may name others. */
  readonly blobs?: readonly PortableBlob[];
}
