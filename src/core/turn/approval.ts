import type { RootId, ToolCallId } from "../base/ids.ts";

/** Why a call waits for a person. */
export type ApprovalReason =
  /** The conversation's tier asks for it. */
  | "tier"
  /** Private data and untrusted text are in the context, and the call reaches outside. */
  | "taint"
  /** A rule allowed it, and the tool has another definition since. */
  | "definition-changed";

/** A call that waits for a person's word. Stored with the run's state. */
export interface ApprovalRequest {
  readonly callId: ToolCallId;
  /**
   * SHA-256 over the tool's name, its definition and the exact arguments, in 64 hex digits. An answer that names another
   * is not an answer to this.
   */
  readonly argumentsHash: string;
  readonly reason: ApprovalReason;
  /** UTC milliseconds; from then on it counts as denied. */
  readonly expiresAt: number;
}

/** How long an answer counts: for this call, for this conversation, or wherever the rule applies. */
export const rememberedFor = ["once", "conversation", "always"] as const;
export type RememberedFor = (typeof rememberedFor)[number];

/** A person's word that stands for further calls of a tool. It ends where the tool's definition becomes another. */
export interface ApprovalRule {
  readonly id: string;
  /** The conversation in which it counts; null for all. */
  readonly rootId: RootId | null;
  readonly toolName: string;
  /** SHA-256 over what the model is told of the tool. */
  readonly definitionHash: string;
  /**
   * The one call that it allows, and the beginning of its arguments for people. null: every call of the tool, except
   * where untrusted text could have asked for it (`taint`).
   */
  readonly call: { readonly argumentsHash: string; readonly shown: string } | null;
  /** UTC milliseconds. */
  readonly createdAt: number;
  /** Name of who said so. */
  readonly createdBy: string;
}
