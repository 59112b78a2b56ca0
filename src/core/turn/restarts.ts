import type { ModelFailure } from "../model/failure.ts";
import { restartsMax } from "./context.ts";
import type { TurnProgress } from "./state.ts";

/** Once more the process stopped before anything came of what it did. */
export function restarted(progress: TurnProgress): TurnProgress {
  return { ...progress, restarts: (progress.restarts ?? 0) + 1 };
}

/** Something has come forward: stops count anew. */
export function cameForward({ rounds, asking }: TurnProgress): TurnProgress {
  return { rounds, asking };
}

/** Whether what the turn does may be what stops the process. */
export function stopsTooOften({ restarts = 0 }: TurnProgress): boolean {
  return restarts >= restartsMax;
}

/** What a person is told then. */
export const stoppedTooOften: ModelFailure = {
  class: "unknown",
  message: `The server stopped ${restartsMax} times in a row while this turn was under way, so it was not begun again. Retry lets it go on.`,
  retryable: false,
};
