import type { ToolCallId } from "../base/ids.ts";
import type { Message } from "../message/types.ts";
import type { Usage } from "../message/usage.ts";
import type { Asking, ToolCall } from "./state.ts";
import type { SubAgent } from "./sub-agent.ts";

/** What the transaction of an event stores beside the new state. */
export type SavedEffect =
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
  /** Tell people something that is not a message: an empty answer, a retry, control that was taken. */
  | { readonly type: "notify"; readonly notice: string }
  /** A person acted: every lease of this run ends now, its epoch rises. */
  | { readonly type: "preempt-leases" };

/** What is performed after the transaction of an event and its broadcast. */
export type PerformedEffect =
  /** Build the request from the path; ends in `request-prepared` or `request-refused`. */
  | { readonly type: "prepare-request" }
  /** Only a `reply` is asked for with all tools; a `submission` with the one that submits; the others with none. */
  | { readonly type: "request-model"; readonly attempt: number; readonly asking: Asking }
  | { readonly type: "abort-request" }
  /**
   * Ends in `tool-finished`, `approval-needed`, `question-asked` or `sub-agents-planned`. `approved` is the arguments'
   * hash that a person allowed; null where nobody was asked.
   */
  | { readonly type: "run-tool"; readonly call: ToolCall; readonly approved: string | null }
  | { readonly type: "abort-tool"; readonly callId: ToolCallId }
  | { readonly type: "schedule-retry"; readonly attempt: number; readonly delayMs: number }
  /** Ends in `approval-expired` at UTC milliseconds, unless it was answered. */
  | { readonly type: "schedule-expiry"; readonly callId: ToolCallId; readonly at: number }
  /** Sets an agent to work that is not yet there, and waits for its end; ends in `sub-agent-finished`. */
  | { readonly type: "await-sub-agent"; readonly callId: ToolCallId; readonly agent: SubAgent }
  /** Ends in `sub-agent-finished` of an agent that is awaited, whether it was there or not. */
  | { readonly type: "cancel-sub-agent"; readonly agent: SubAgent }
  /** The turn is over by itself: leases go back. */
  | { readonly type: "release-leases" };

/** What a step orders. */
export type TurnEffect = SavedEffect | PerformedEffect;
