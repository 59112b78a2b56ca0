import type { ToolCallId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { NonEmptyArray } from "../base/non-empty.ts";
import type { ErrorKind, FailureClass } from "../model/failure.ts";

/** A call that the model asked for, in the order asked. */
export interface ToolCall {
  readonly id: ToolCallId;
  readonly name: string;
  readonly parameters: JsonObject;
  /** Why it must not run, in words that the model can act on. */
  readonly argumentsError?: string;
}

/** Why a person ended a turn: to stop the agent, or to have the canvas to themselves. */
export type CancelReason = "stopped" | "control-taken";

/** Where a run stands. Stored after every event, shown to people as it is. See SPEC.md. */
export type TurnState =
  | { readonly type: "idle" }
  /** A message is in; the request is being prepared (the seed's AwaitingLlm). */
  | { readonly type: "awaiting" }
  /** A request is under way, or waits for its retry at `retryAt` (UTC milliseconds). */
  | {
      readonly type: "requesting";
      readonly attempt: number;
      readonly retryAt: number | null;
      readonly lastFailure: string | null;
    }
  /**
   * Tools run one at a time; the first of `pending` is running. `completed` names the calls of the round whose results
   * are stored, in order; the results themselves are the nodes at the head.
   */
  | {
      readonly type: "running-tools";
      readonly pending: NonEmptyArray<ToolCall>;
      readonly completed: readonly ToolCallId[];
    }
  /** A person stopped the request of this attempt; waiting for its stream to close. */
  | { readonly type: "cancelling"; readonly attempt: number; readonly reason: CancelReason }
  | { readonly type: "error"; readonly kind: ErrorKind; readonly detail: FailureClass; readonly message: string };

export type TurnStateType = TurnState["type"];
