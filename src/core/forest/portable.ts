import type { Actor } from "../base/actor.ts";
import type { JsonObject } from "../base/json.ts";
import type { Message } from "../message/types.ts";
import type { Usage } from "../message/usage.ts";
import type { ModelRequestFacts, NodeVariant } from "./types.ts";

/** What every node on its way between two forests has. Ids are those of where it comes from. */
export interface PortableTreeNode {
  readonly id: string;
  /** null for a first message. */
  readonly parentId: string | null;
  readonly message: Message;
}

/** A node as an export holds it: all that belongs to it, and nothing of the workspace that it stood in. */
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
}

/** What an export keeps of a conversation besides its messages. */
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

/** What an export calls itself, and which form of it this release writes and reads. */
export const exportFormat = "heddle-forest";
export const exportVersion = 1;

/** A conversation, or a part of it from its first messages on, as a file holds it. */
export interface ForestExport {
  readonly format: typeof exportFormat;
  readonly version: typeof exportVersion;
  readonly root: PortableRoot;
  /** Parents before children. */
  readonly nodes: readonly PortableNode[];
  readonly bookmarks: readonly PortableBookmark[];
  /** Those that came along; a message may name more. */
  readonly blobs?: readonly PortableBlob[];
}
