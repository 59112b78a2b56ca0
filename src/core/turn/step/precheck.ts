import { unreachable } from "../../base/assert.ts";
import type { Refusal } from "../../base/errors.ts";
import { refusal } from "../../base/errors.ts";
import type { Result } from "../../base/result.ts";
import { err, ok } from "../../base/result.ts";
import type { TurnState } from "../state/state.ts";

/** Whether a run accepts a message now; `transition` answers with the same code. */
export function acceptsMessage(state: TurnState): Result<void, Refusal> {
  switch (state.type) {
    case "idle":
    case "error":
      return ok(undefined);
    case "awaiting":
    case "requesting":
    case "running-tools":
    case "awaiting-sub-agents":
      return err(refusal("AGENT_BUSY"));
    case "awaiting-approval":
      return err(refusal("AWAITING_APPROVAL"));
    case "awaiting-answer":
      return err(refusal("AWAITING_USER_RESPONSE"));
    case "cancelling":
    case "cancelling-sub-agents":
      return err(refusal("CANCELLATION_IN_PROGRESS"));
    case "context-exhausted":
      return err(refusal("CONTEXT_EXHAUSTED"));
    case "completed":
    case "failed":
      return err(refusal("CONVERSATION_ENDED"));
    default:
      return unreachable(state);
  }
}

/** Whether there is anything to stop; stopping twice is harmless. `transition` answers with the same code. */
export function acceptsCancel(state: TurnState): Result<void, Refusal> {
  return isSettled(state) ? err(refusal("NOTHING_TO_CANCEL")) : ok(undefined);
}

/** A state without a turn in progress. */
export type SettledState = Extract<
  TurnState,
  { readonly type: "idle" | "error" | "context-exhausted" | "completed" | "failed" }
>;

/** Whether no turn is in progress in a state: the run waits for a person, or has ended permanently. */
export function isSettled(state: TurnState): state is SettledState {
  switch (state.type) {
    case "idle":
    case "error":
    case "context-exhausted":
    case "completed":
    case "failed":
      return true;
    case "awaiting":
    case "requesting":
    case "running-tools":
    case "awaiting-approval":
    case "awaiting-answer":
    case "awaiting-sub-agents":
    case "cancelling":
    case "cancelling-sub-agents":
      return false;
    default:
      return unreachable(state);
  }
}
