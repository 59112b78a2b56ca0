import { errorKind, type ModelFailure } from "../../model/failure.ts";
import type { TurnContext } from "../state/context.ts";
import { cancelledSummaryText, noSummaryText } from "./instruct.ts";
import type { SettledState } from "./precheck.ts";
import type { TurnProgress } from "../state/state.ts";

/** Returns the final state of a turn that a person stopped. */
export function stoppedState(progress: TurnProgress, { kind }: TurnContext): SettledState {
  if (kind === "sub-agent")
    return { type: "failed", reason: "cancelled", message: "Cancelled by whoever started this agent." };
  return progress.asking === "summary"
    ? { type: "context-exhausted", summary: cancelledSummaryText }
    : idleAfter(progress);
}

/**
 * Returns the final state of a turn whose request failed permanently; `message` says how. A request without room for its reply
 * leaves the branch open at the turn's start; in its midst, the work so far has filled the context for good.
 */
export function failedState(
  { class: detail }: ModelFailure,
  message: string,
  { progress, context }: { readonly progress: TurnProgress; readonly context: TurnContext },
): SettledState {
  const kind = errorKind(detail);
  if (context.kind === "sub-agent") return { type: "failed", reason: kind, message };
  return progress.asking === "summary" || (detail === "context-full" && progress.rounds > 0)
    ? { type: "context-exhausted", summary: noSummaryText }
    : { type: "error", kind, detail, message, ...failuresOf(progress) };
}

/** Returns `idle` after a turn, with what the next one has to know of it. */
export function idleAfter(progress: TurnProgress): SettledState {
  return { type: "idle", ...failuresOf(progress) };
}

/** Returns only the count of failed compactions, which outlives a turn. */
export function failuresOf({
  failedCompactions,
}: Pick<TurnProgress, "failedCompactions">): Pick<TurnProgress, "failedCompactions"> {
  return failedCompactions === undefined ? {} : { failedCompactions };
}

/** The final state of a sub-agent whose time has run out. */
export const timedOutState: SettledState = {
  type: "failed",
  reason: "timed-out",
  message: "The agent ran out of time before it had a result.",
};
