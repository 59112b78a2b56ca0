import type { ModelFailure } from "../../model/failure.ts";
import { restartsMax } from "../state/context.ts";
import type { TurnProgress } from "../state/state.ts";

/** Counts one more stop of the process without progress. */
export function countRestart(progress: TurnProgress): TurnProgress {
  return { ...progress, restarts: (progress.restarts ?? 0) + 1 };
}

/** Returns the progress after a reply: the stops, the steers and the change of model before it count no more. */
export function resetRestarts(before: TurnProgress): TurnProgress {
  // After most replies there is nothing to forget, and a copy costs as much as the rest of the step.
  if (before.restarts === undefined && before.steered === undefined && before.fellBack === undefined) return before;
  const { restarts: _restarts, steered: _steered, fellBack: _fellBack, ...progress } = before;
  return progress;
}

/** Whether the turn itself may be what stops the process. */
export function stopsTooOften({ restarts = 0 }: TurnProgress): boolean {
  return restarts >= restartsMax;
}

/** The failure that a person sees then. */
export const stoppedTooOften: ModelFailure = {
  class: "unknown",
  message: `The server stopped ${restartsMax} times in a row during this turn, so the turn was not restarted. Nothing was lost. Retry to continue it.`,
  retryable: false,
};
