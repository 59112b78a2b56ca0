import type { ToolCallId } from "../base/ids.ts";
import type { AssistantMessage, ToolMessage, UserMessage } from "../message/types.ts";
import type { ModelFailure } from "../model/failure.ts";
import type { Usage } from "../message/usage.ts";
import type { CancelReason } from "./state.ts";

/** What happened. Everything that moves a run comes in here; times and sizes ride in the event. */
export type TurnEvent =
  | { readonly type: "message-sent"; readonly message: UserMessage }
  /** Ask again without a new message: regenerate, or go on after an error. */
  | { readonly type: "reply-requested" }
  | { readonly type: "turn-cancelled"; readonly reason: CancelReason }
  | { readonly type: "request-prepared" }
  /** The reply is whole; null for an empty one. Its tool calls have ids that differ. */
  | {
      readonly type: "response-finished";
      readonly attempt: number;
      readonly message: AssistantMessage | null;
      readonly usage: Usage;
    }
  /** `partial` is what was already shown, complete tool calls included; `now` is UTC milliseconds. */
  | {
      readonly type: "response-failed";
      readonly attempt: number;
      readonly failure: ModelFailure;
      readonly partial: AssistantMessage | null;
      readonly now: number;
    }
  | { readonly type: "retry-due"; readonly attempt: number }
  | { readonly type: "tool-finished"; readonly callId: ToolCallId; readonly result: ToolMessage }
  /**
   * The process came back from a stop. `partial` is what the lost request had shown; `toolStarted` whether the running
   * tool had begun; `now` is UTC milliseconds.
   */
  | {
      readonly type: "process-restarted";
      readonly partial: AssistantMessage | null;
      readonly toolStarted: boolean;
      readonly toolIdempotent: boolean;
      readonly now: number;
    };
