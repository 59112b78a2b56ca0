import type { NodeId, ToolCallId } from "../../base/ids.ts";
import type { Compacts, SeenCanvas } from "../../forest/types.ts";
import type { Message, UserMessage } from "../../message/types.ts";
import type { Usage } from "../../message/usage.ts";
import type { Answer } from "../state/question.ts";
import type { Asking, ToolCall } from "../state/state.ts";
import type { SubAgent } from "../state/sub-agent.ts";

/** Effects stored in the transaction of an event, beside the new state. */
export type SavedEffect =
  /**
   * Adds a message below the run's head. With `headMoves` it becomes the head; otherwise it stays beside the branch: an
   * attempt that broke off after something was shown; the retry's reply becomes its sibling.
   */
  | {
      readonly type: "save-message";
      readonly message: Message;
      readonly usage: Usage | null;
      readonly headMoves: boolean;
      /** The id of the waiting message that this is; it waits no longer. */
      readonly waiting?: NodeId;
    }
  /** Adds a compaction node below the run's head, which it becomes. */
  | {
      readonly type: "save-compaction";
      readonly message: UserMessage;
      readonly compacts: Compacts;
      readonly canvas: SeenCanvas | null;
      readonly usage: Usage;
    }
  /** Counts a paid reply that leaves no message. */
  | { readonly type: "count-usage"; readonly usage: Usage }
  /** Shows people a notice: an empty answer, a retry, control that was taken. */
  | { readonly type: "notify"; readonly notice: string }
  /** Another model answers for the rest of the turn. */
  | { readonly type: "switch-model"; readonly model: string }
  /** A person acted: every lease of this run ends now and its epoch rises. */
  | { readonly type: "preempt-leases" };

/** Effects performed after the transaction of an event and its broadcast. */
export type PerformedEffect =
  /** Builds the request from the path; ends in `request-prepared` or `request-refused`. */
  | { readonly type: "prepare-request" }
  /**
   * A `reply` and a `compaction` are requested with all tools, a `submission` with submit_result only, any other with
   * none; a compaction ends in `compaction-finished`, `compaction-discarded` or `response-failed`.
   */
  | { readonly type: "request-model"; readonly attempt: number; readonly asking: Asking }
  | { readonly type: "abort-request" }
  /**
   * Ends in `tool-finished`, `approval-needed`, `question-asked` or `sub-agents-planned`. `approved` is the hash of the
   * arguments that a person allowed; null when nobody was asked.
   */
  | { readonly type: "run-tool"; readonly call: ToolCall; readonly approved: string | null }
  | { readonly type: "abort-tool"; readonly callId: ToolCallId }
  /** Gives a running call the answers it asked for; null: a person declined. */
  | { readonly type: "answer-call"; readonly callId: ToolCallId; readonly answers: readonly Answer[] | null }
  | { readonly type: "schedule-retry"; readonly attempt: number; readonly delayMs: number }
  /** Ends in `approval-expired` at `at` (UTC milliseconds), unless answered before. */
  | { readonly type: "schedule-expiry"; readonly callId: ToolCallId; readonly at: number }
  /** Starts an agent that does not run yet, and waits for its end; ends in `sub-agent-finished`. */
  | { readonly type: "await-sub-agent"; readonly callId: ToolCallId; readonly agent: SubAgent }
  /** Ends in `sub-agent-finished` of a running or already ended agent. */
  | { readonly type: "cancel-sub-agent"; readonly agent: SubAgent }
  /** The turn ended by itself: its leases are released. */
  | { readonly type: "release-leases" };

/** The effects that a step orders. */
export type TurnEffect = SavedEffect | PerformedEffect;
