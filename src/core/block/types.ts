import type { Actor, ModelActor } from "../base/actor.ts";
import type { BlockId, DocumentId, HunkId, RequestId, ToolCallId, TurnId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { AgentId, OpSpan } from "../text/types.ts";
import type { BlockKind } from "./kinds.ts";

/** How far a block's text has come. What is done or in error takes text again once it is running. */
export const blockStatuses = ["pending", "running", "done", "error"] as const;
export type BlockStatus = (typeof blockStatuses)[number];

/** Whose part of a conversation a block is. */
export const blockRoles = ["user", "assistant", "system", "tool"] as const;
export type BlockRole = (typeof blockRoles)[number];

/**
 * How people and agents share a canvas. Live: people always type, all edits merge. Lease: people do not type while an agent
 * holds the lease. Suggest: people always type, and what agents edit waits as suggestions until a person keeps it.
 */
export const editPolicies = ["live", "lease", "suggest"] as const;
export type EditPolicy = (typeof editPolicies)[number];

/** Everything of a block but its text. */
export interface BlockHeader {
  readonly id: BlockId;
  readonly documentId: DocumentId;
  readonly parentId: BlockId | null;
  readonly role: BlockRole;
  readonly kind: BlockKind;
  readonly status: BlockStatus;
  /** Counts accepted mutations, one each; 1 when created. */
  readonly version: number;
  /** `path` and `language` of files, `tool_name` and `tool_call_id` of calls and results, `title`; kept as given. */
  readonly metadata: JsonObject;
  readonly collapsed: boolean;
  readonly excluded: boolean;
  /** Only a canvas has one. */
  readonly policy?: EditPolicy;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Set when the block was deleted: what is left keeps its place and its id, and is told to nobody as a block. */
  readonly deletedAt?: number;
}

/**
 * What is undone together: one tool call, or a person's edits less than a second apart.
 * `turnId` groups the units of an agent's turn.
 */
export interface UndoUnit {
  readonly id: string;
  readonly turnId?: TurnId;
  readonly toolCallId?: ToolCallId;
}

/** What a person took over from an agent's suggestions: the text is the agent's, the act is the person's. */
export interface KeptHunks {
  readonly hunkIds: readonly HunkId[];
  /** Who suggested it, with the turn and the tool call. */
  readonly author: ModelActor;
  /** Whose act it is: it is undone by that agent. */
  readonly reviewer: AgentId;
}

/** One accepted mutation of a block: a row of its log and an event of its feed. */
export interface BlockChange {
  readonly blockId: BlockId;
  readonly documentId: DocumentId;
  /** The block's version that this change made. */
  readonly version: number;
  readonly actor: Actor;
  readonly at: number;
  /** Set when a client asked; the same request never takes effect twice. */
  readonly requestId?: RequestId;
  readonly what: BlockChangeBody;
}

/** What a mutation did: a block is what these come to, one after the other. */
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
      /** The units that it puts back, when it is a redo. */
      readonly redoes?: readonly string[];
      /** The text that was added, when it only grew at its end; decided by comparing before and after (B-27). */
      readonly appended?: string;
      /** Set when a person kept what an agent had suggested. */
      readonly kept?: KeptHunks;
    }
  /** Suggestions were rejected, which changes no text; or that was undone or redone. */
  | {
      readonly type: "review";
      readonly unit: UndoUnit;
      readonly hunkIds: readonly HunkId[];
      /** Whose act it is: it is undone by that agent. */
      readonly reviewer: AgentId;
      readonly undoes?: readonly string[];
      readonly redoes?: readonly string[];
    }
  | { readonly type: "status"; readonly status: BlockStatus }
  | { readonly type: "policy"; readonly policy: EditPolicy }
  | { readonly type: "metadata"; readonly metadata: JsonObject }
  /** Folded for people; left out of what models are told unasked. */
  | { readonly type: "flags"; readonly collapsed: boolean; readonly excluded: boolean }
  /** The last change of a block. */
  | { readonly type: "deleted" };
