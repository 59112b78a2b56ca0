import type { Actor } from "../base/actor.ts";
import type { NodeId } from "../base/ids.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { BlockKind } from "./kinds.ts";
import type { BlockHeader } from "./types.ts";

/** Where the text of a live block is once its message is stored: a content block of a node's message. */
export interface MessagePlace {
  readonly nodeId: NodeId;
  /** Index in the message's content. */
  readonly block: number;
}

/** Whether a block shows a part of a message of a run: a reply, a call or a result. */
export function isLiveBlock({ kind, metadata }: Pick<BlockHeader, "kind" | "metadata">): boolean {
  return kind !== "file" && typeof metadata["run_id"] === "string" && typeof metadata["turn_id"] === "string";
}

/** The kinds of live blocks whose text people may edit while it streams. */
export function isEditableLive(kind: BlockKind): boolean {
  return kind === "text" || kind === "tool_call";
}

/** Returns the metadata of a live block whose message is stored. */
export function withPlace(metadata: JsonObject, { nodeId, block }: MessagePlace): JsonObject {
  return { ...metadata, message: { node_id: nodeId, block } };
}

/** Returns which message a live block became; null while it streams, and for an attempt that left no message. */
export function placeOf({ metadata }: Pick<BlockHeader, "metadata">): MessagePlace | null {
  const place = metadata["message"];
  if (!isJsonObject(place)) return null;
  const { node_id: nodeId, block } = place;
  return typeof nodeId === "string" && typeof block === "number" ? { nodeId: nodeId as NodeId, block } : null;
}

/** A stretch of a text, and who wrote it. UTF-16 units. */
export interface Written {
  readonly from: number;
  readonly to: number;
  readonly by: Actor;
}

/** The final text of a live block. */
export interface SealedText {
  readonly text: string;
  /** How many UTF-16 units the stream wrote into the block. */
  readonly streamed: number;
  /** Set when people changed the text while it streamed. */
  readonly edit: LiveEdit | null;
}

/** What people changed in a live block. */
export interface LiveEdit {
  /** What the stream wrote. */
  readonly original: string;
  /** Who wrote which stretch of the text; adjacent stretches have different authors. */
  readonly authors: readonly Written[];
  /** Everybody who changed the text, also those whose words are gone again. */
  readonly editors: readonly Actor[];
}
