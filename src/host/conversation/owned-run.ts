import type { TurnEvent } from "../../core/turn/event.ts";
import type { RunInHand } from "./plan-step.ts";
import type { RunPerformer } from "./run-performer.ts";

/** A run with what it is doing. */
export interface OwnedRun {
  inHand: RunInHand;
  /** Whether the store knows it. */
  stored: boolean;
  /** What is known of the time before a stop, until the run has taken it: nothing else happens to the run before. */
  restart: TurnEvent | null;
  readonly performer: RunPerformer;
}
