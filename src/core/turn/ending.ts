import { errorKind, type ModelFailure } from "../model/failure.ts";
import type { TurnContext } from "./context.ts";
import { cancelledSummaryText, noSummaryText } from "./instruct.ts";
import type { RestState } from "./precheck.ts";
import type { Asking } from "./state.ts";

/** Where a turn comes to rest that a person stopped. */
export function stoppedState(asking: Asking, { kind }: TurnContext): RestState {
  if (kind === "sub-agent")
    return { type: "failed", reason: "cancelled", message: "Cancelled by whoever set this agent to work." };
  return asking === "summary" ? { type: "context-exhausted", summary: cancelledSummaryText } : { type: "idle" };
}

/** Where a turn comes to rest whose request failed for good; `message` says how. */
export function failedState(
  { class: detail }: ModelFailure,
  message: string,
  { asking, context }: { readonly asking: Asking; readonly context: TurnContext },
): RestState {
  const kind = errorKind(detail);
  if (context.kind === "sub-agent") return { type: "failed", reason: kind, message };
  return asking === "summary"
    ? { type: "context-exhausted", summary: noSummaryText }
    : { type: "error", kind, detail, message };
}

/** Where a sub-agent comes to rest whose time is over. */
export const timedOutState: RestState = {
  type: "failed",
  reason: "timed-out",
  message: "The agent's time was over before it had a result.",
};
