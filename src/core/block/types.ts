import type { Actor, ModelActor, PersonActor } from "../base/actor.ts";
import type { BlockId, DocumentId, HunkId, RequestId, ToolCallId, TurnId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { ReplicaId, OpSpan } from "../text/types.ts";
import type { BlockKind } from "./kinds.ts";

/** The status of a block's text. A block that is done or in error accepts text again once it is running. */
export const blockStatuses = ["pending", "running", "done", "error"] as const;
export type BlockStatus = (typeof blockStatuses)[number];

/** The author role of a block in a conversation. */
export const blockRoles = ["user", "assistant", "system", "tool"] as const;
export type BlockRole = (typeof blockRoles)[number];

/**
 * How people and agents share a canvas. Live: people always type and all edits merge. Lease: people do not type while an agent holds the lease.
 * Suggest: people always type, and agents' edits wait as suggestions until a person keeps them.
 */
export const editPolicies = ["live", "lease", "suggest"] as const;
export type EditPolicy = (typeof editPolicies)[number];

/** All data of a block except its text. */
export interface BlockHeader {
  readonly id: BlockId;
  readonly documentId: DocumentId;
  readonly parentId: BlockId | null;
  readonly role: BlockRole;
  readonly kind: BlockKind;
  readonly status: BlockStatus;
  /** Counts accepted mutations; 1 when created. */
  readonly version: number;
  /** `path` and `language` of files, `tool_name` and `tool_call_id` of calls and results, `title`; stored as given. */
  readonly metadata: JsonObject;
  readonly collapsed: boolean;
  readonly excluded: boolean;
  /** Only for a canvas. */
  readonly policy?: EditPolicy;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Set when the block was deleted: it keeps its place and id, but is not reported as a block. */
  readonly deletedAt?: number;
}

/**
 * What is undone together: one tool call, or a person's edits less than a second apart. `turnId` groups the units of an
 * agent's turn.
 */
export interface UndoUnit {
  readonly id: string;
  readonly turnId?: TurnId;
  readonly toolCallId?: ToolCallId;
}

/**
 * The origin of text that a person kept from an agent's suggestions: the agent wrote the text, the person made the change.
 */
export interface KeptHunks {
  readonly hunkIds: readonly HunkId[];
  /** The author of the suggestion: an agent with its turn and tool call, or a person who brought an earlier text here. */
  readonly author: ModelActor | PersonActor;
  /** The replica of the person who kept it, for undo. */
  readonly reviewer: ReplicaId;
}

/** One accepted mutation of a block: a row of its log and an event of its feed. */
export interface BlockChange {
  readonly blockId: BlockId;
  readonly documentId: DocumentId;
  /** The block's version after this change. */
  readonly version: number;
  readonly actor: Actor;
  readonly at: number;
  /** Set when a client requested the change; a request never takes effect twice. */
  readonly requestId?: RequestId;
  readonly body: BlockChangeBody;
}

/** The effect of a mutation; a block is the result of all of them in order. */
export type BlockChangeBody =
  | {
      readonly type: "created";
      readonly header: BlockHeader;
      readonly update: Uint8Array;
      readonly spans: readonly OpSpan[];
    }
  | {
      readonly type: "text";
      readonly update: Uint8Array;
      readonly spans: readonly OpSpan[];
      readonly unit: UndoUnit;
      /** The units that this change undoes, when it is an undo. */
      readonly undoes?: readonly string[];
      /** The units that this change restores, when it is a redo. */
      readonly redoes?: readonly string[];
      /** The added text, when the text only grew at its end; decided by comparing the texts (B-27). */
      readonly appended?: string;
      /** Set on the first write to a pending block: with it, the status becomes running. */
      readonly starts?: true;
      /** Set when a person kept an agent's suggestion. */
      readonly kept?: KeptHunks;
    }
  /** Suggestions were rejected, or a rejection was undone or redone; the text does not change. */
  | {
      readonly type: "review";
      readonly unit: UndoUnit;
      readonly hunkIds: readonly HunkId[];
      /** The replica of the person who rejected them, for undo. */
      readonly reviewer: ReplicaId;
      readonly undoes?: readonly string[];
      readonly redoes?: readonly string[];
    }
  | { readonly type: "status"; readonly status: BlockStatus }
  | { readonly type: "policy"; readonly policy: EditPolicy }
  | {
      readonly type: "metadata";
      readonly metadata: JsonObject;
      /** The metadata before, when an agent changed it: the undo of its turn sets it back. */
      readonly previous?: JsonObject;
    }
  /** Folded for people; omitted from what models receive unasked. */
  | ({ readonly type: "flags"; /** The flags before, as with metadata. */ readonly previous?: BlockFlags } & BlockFlags)
  /** Deletes the block: its last change, unless it is restored from the trash. */
  | { readonly type: "deleted" }
  /** Restores the block from the trash. */
  | {
      readonly type: "restored";
      /** Set when the undo of a turn restored what the turn had deleted. */
      readonly undoes?: TurnId;
    };

/** How a block is shown to people, and whether models receive it unasked. */
export interface BlockFlags {
  readonly collapsed: boolean;
  readonly excluded: boolean;
}
