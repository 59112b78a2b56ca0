import type { RootId, ToolCallId } from "../../base/ids.ts";

/** Why a call waits for a person. */
export type ApprovalReason =
  /** The conversation's tier requires it. */
  | "tier"
  /** The context holds private data and untrusted text, and the call reaches outside. */
  | "taint"
  /** A rule allowed it, but the tool's definition has changed since. */
  | "definition-changed"
  /** It writes a file that other programs run or obey; no tier and no rule covers that. */
  | "run-by-others"
  /** The turn works in a draft, and the call changes what no draft holds: a file, or something outside. */
  | "in-draft";

/** A call that waits for a person's decision. Stored with the run's state. */
export interface ApprovalRequest {
  readonly callId: ToolCallId;
  /**
   * SHA-256 over the tool's name, its definition and the exact arguments, in 64 hex digits. An answer with another hash
   * does not apply to this request.
   */
  readonly argumentsHash: string;
  readonly reason: ApprovalReason;
  /** UTC milliseconds; from then on the call counts as denied. */
  readonly expiresAt: number;
}

/** How long an answer applies: to this call, to this conversation, or wherever the rule applies. */
export const rememberedFor = ["once", "conversation", "always"] as const;
export type RememberedFor = (typeof rememberedFor)[number];

/** A person's permission for further calls of a tool. It ends when the tool's definition changes. */
export interface ApprovalRule {
  readonly id: string;
  /** The conversation in which it applies; null for all. */
  readonly rootId: RootId | null;
  readonly toolName: string;
  /** SHA-256 over the tool's definition as the model sees it. */
  readonly definitionHash: string;
  /**
   * The only call that it allows, with the beginning of its arguments for people. null: every call of the tool, except
   * calls that untrusted text could have caused (`taint`).
   */
  readonly call: { readonly argumentsHash: string; readonly shown: string } | null;
  /** UTC milliseconds. */
  readonly createdAt: number;
  /** Name of the person who allowed it. */
  readonly createdBy: string;
}
