import { unreachable } from "../base/assert.ts";
import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import type { TurnState } from "./state.ts";

/** Whether a run takes a message now; `transition` answers with the same code. */
export function acceptsMessage(state: TurnState): Result<void, Refusal> {
  switch (state.type) {
    case "idle":
    case "error":
      return ok(undefined);
    case "awaiting":
    case "requesting":
    case "running-tools":
      return err(refusal("AGENT_BUSY"));
    case "cancelling":
      return err(refusal("CANCELLATION_IN_PROGRESS"));
    default:
      return unreachable(state);
  }
}

/** Whether there is anything to stop; stopping twice is harmless. `transition` answers with the same code. */
export function acceptsCancel(state: TurnState): Result<void, Refusal> {
  return isAtRest(state) ? err(refusal("NOTHING_TO_CANCEL")) : ok(undefined);
}

/** Whether the run waits for a person. */
export function isAtRest(state: TurnState): boolean {
  return state.type === "idle" || state.type === "error";
}
