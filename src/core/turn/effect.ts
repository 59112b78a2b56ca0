import type { ToolCallId } from "../base/ids.ts";
import type { Message } from "../message/types.ts";
import type { Usage } from "../message/usage.ts";
import type { ToolCall, TurnState } from "./state.ts";

/**
 * What to do. `save-*`, `notify` and `preempt-leases` belong to the transaction of the event; the rest is performed after
 * it and its broadcast.
 */
export type TurnEffect =
  /**
   * Add a message below the run's head. With `headMoves` it becomes the head; without, it stays beside the branch: an
   * attempt that broke off after something was shown, whose retry becomes its sibling.
   */
  | {
      readonly type: "save-message";
      readonly message: Message;
      readonly usage: Usage | null;
      readonly headMoves: boolean;
    }
  | { readonly type: "save-state"; readonly state: TurnState }
  /** Tell people something that is not a message: an empty answer, a retry, control that was taken. */
  | { readonly type: "notify"; readonly notice: string }
  /** Build the request from the path; ends in `request-prepared`. */
  | { readonly type: "prepare-request" }
  | { readonly type: "request-model"; readonly attempt: number }
  | { readonly type: "abort-request" }
  | { readonly type: "run-tool"; readonly call: ToolCall }
  | { readonly type: "abort-tool"; readonly callId: ToolCallId }
  | { readonly type: "schedule-retry"; readonly attempt: number; readonly delayMs: number }
  /** A person acted: every lease of this run ends now, its epoch rises. */
  | { readonly type: "preempt-leases" }
  /** The turn is over by itself: leases go back. */
  | { readonly type: "release-leases" };

export type TurnEffectType = TurnEffect["type"];
