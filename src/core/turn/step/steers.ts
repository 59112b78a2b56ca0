import { isNonEmpty, type NonEmptyArray } from "../../base/non-empty.ts";
import type { TurnContext } from "../state/context.ts";
import type { SavedEffect } from "../event/effect.ts";
import type { TurnProgress } from "../state/state.ts";
import type { BringsSteers, Steer } from "../state/waiting.ts";

/** Returns the messages that the turn takes at a boundary; null if it takes none there. */
export function steersTaken(
  { steers = [] }: BringsSteers,
  { asking }: TurnProgress,
  { kind }: TurnContext,
): NonEmptyArray<Steer> | null {
  // A sub-agent takes none, and last words or a summary are the end of a turn.
  return kind === "conversation" && asking === "reply" && isNonEmpty(steers) ? steers : null;
}

/** Adds people's messages to the branch. A person acted, so every lease of the run ends now. */
export function saveSteers(steers: NonEmptyArray<Steer>): readonly SavedEffect[] {
  return [...steers.map(saveWaiting), { type: "preempt-leases" }];
}

/** Appends a message that waited to the branch. */
export function saveWaiting({ id: waiting, message }: Steer): SavedEffect {
  return { type: "save-message", message, usage: null, headMoves: true, waiting };
}

/** The progress of a turn that has taken people's messages: its rounds are counted afresh from there. */
export function steered({ skipsCompaction: _skips, fellBack: _fellBack, ...progress }: TurnProgress): TurnProgress {
  return { ...progress, rounds: 0, asking: "reply", steered: true };
}
