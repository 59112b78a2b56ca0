import type { ToolCallId } from "../base/ids.ts";

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
