import { unreachable } from "../../../core/base/assert.ts";
import type { EffectRecord } from "../../../core/port/store.ts";
import type { PerformedEffect } from "../../../core/turn/event/effect.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";

/** The subject of an activity. A run has at most one activity per subject. */
export type ActivityKey = "request" | "deadline" | `tool/${string}` | `expiry/${string}` | `agent/${string}`;

/** An effect to perform, with its row if it survives a crash. */
export interface PlannedEffect {
  readonly effect: PerformedEffect;
  readonly record: EffectRecord | null;
}

/** Returns the subject of the activity an effect starts; null if the effect is complete once performed. */
export function activityKeyOf(effect: PerformedEffect): ActivityKey | null {
  switch (effect.type) {
    case "prepare-request":
    case "request-model":
    case "schedule-retry":
      return "request";
    case "run-tool":
      return `tool/${effect.call.id}`;
    case "schedule-expiry":
      return `expiry/${effect.callId}`;
    case "await-sub-agent":
    case "cancel-sub-agent":
      return `agent/${effect.agent.runId}`;
    case "abort-request":
    case "abort-tool":
    case "answer-call":
    case "release-leases":
      return null;
    default:
      return unreachable(effect);
  }
}

/** Returns the subjects that can have an activity in a state; a run has no other activities or open effects. */
export function possibleActivities(state: TurnState): ReadonlySet<ActivityKey> {
  return new Set<ActivityKey>([...openIn(state), ...(isSettled(state) ? [] : (["deadline"] as const))]);
}

function openIn(state: TurnState): readonly ActivityKey[] {
  switch (state.type) {
    case "awaiting":
    case "requesting":
    case "cancelling":
      return ["request"];
    case "running-tools":
    case "awaiting-answer":
      return state.running.map((id) => `tool/${id}` as const);
    case "awaiting-approval":
      return [`expiry/${state.request.callId}`];
    case "awaiting-sub-agents":
    case "cancelling-sub-agents":
      return state.agents.flatMap(({ runId, outcome }) => (outcome === null ? [`agent/${runId}` as const] : []));
    case "idle":
    case "error":
    case "context-exhausted":
    case "completed":
    case "failed":
      return [];
    default:
      return unreachable(state);
  }
}
