import type { TurnState } from "../../../core/turn/state/state.ts";

/** Returns whether a run changes what it is doing, which restarts the elapsed time that people see. */
export function restartsElapsedTime(before: TurnState, after: TurnState): boolean {
  if (before.type !== after.type) return true;
  if (before.type === "requesting" && after.type === "requesting") {
    return before.attempt !== after.attempt || before.retryAt !== after.retryAt;
  }
  if (before.type === "running-tools" && after.type === "running-tools") {
    return after.running.some((id) => !before.running.includes(id));
  }
  return false;
}
