import type { Refusal } from "../../base/errors.ts";
import { refusal } from "../../base/errors.ts";
import type { Result } from "../../base/result.ts";
import type { Message } from "../../message/types.ts";
import type { Usage } from "../../message/usage.ts";
import { controlTakenNotice } from "../answer/control-taken.ts";
import type { PerformedEffect, SavedEffect } from "../event/effect.ts";
import type { TurnEvent } from "../event/event.ts";
import type { CancelReason, TurnState } from "../state/state.ts";

/**
 * The next state of a run, the effects stored with it, and the effects performed once both are stored; each list in
 * order.
 */
export interface TurnStep {
  readonly type: "applied";
  readonly state: TurnState;
  readonly saved: readonly SavedEffect[];
  readonly performed: readonly PerformedEffect[];
}

/** The machine's answer to one event. */
export type Verdict =
  /** The event is stored and leads to this step. */
  | TurnStep
  /** The event comes too late or changes nothing: it is accepted, and nothing is stored. */
  | { readonly type: "absorbed" }
  /** The event is not possible in this state, which is unchanged. */
  | { readonly type: "refused"; readonly refusal: Refusal };

/** The state, and the event, of a type. */
export type StateOf<Type extends TurnState["type"]> = Extract<TurnState, { readonly type: Type }>;
export type EventOf<Type extends TurnEvent["type"]> = Extract<TurnEvent, { readonly type: Type }>;

/** Builds a step to a state, with the effects stored beside it and those performed afterwards. */
export function step(
  state: TurnState,
  saved: readonly SavedEffect[] = [],
  performed: readonly PerformedEffect[] = [],
): TurnStep {
  return { type: "applied", state, saved, performed };
}

/** Builds the step of a turn that ends by itself: its leases are released. */
export function finish(
  state: TurnState,
  saved: readonly SavedEffect[],
  performed: readonly PerformedEffect[] = [],
): TurnStep {
  return step(state, saved, [...performed, { type: "release-leases" }]);
}

/** Builds the step of a turn that a person ends: its leases end in the same transaction. */
export function stop(
  state: TurnState,
  reason: CancelReason,
  saved: readonly SavedEffect[],
  performed: readonly PerformedEffect[] = [],
): TurnStep {
  return step(state, [...saved, ...noticeOf(reason), { type: "preempt-leases" }], performed);
}

const rightsEndedNotice =
  "This turn was ended: a person or a token that it worked for may not ask here any longer. What was done until then stays.";

/** Returns the notice that people see after a cancel. */
export function noticeOf(reason: CancelReason): readonly SavedEffect[] {
  switch (reason) {
    case "stopped":
      return [];
    case "control-taken":
      return [{ type: "notify", notice: controlTakenNotice }];
    case "rights-ended":
      return [{ type: "notify", notice: rightsEndedNotice }];
  }
}

/** Appends a message to the branch. */
export function save(message: Message, usage: Usage | null = null): SavedEffect {
  return { type: "save-message", message, usage, headMoves: true };
}

const absorbed: Verdict = { type: "absorbed" };

/** Accepts an event that comes too late or changes nothing. */
export function absorb(): Verdict {
  return absorbed;
}

/** Refuses an event that is impossible in this state. */
export function invalid(state: TurnState, event: TurnEvent): Verdict {
  return refuse(refusal("INVALID_TRANSITION", { state: state.type, event: event.type }));
}

/** Refuses a late answer of a person: answered before, expired, or the turn is over. */
export function closed(code: "APPROVAL_CLOSED" | "QUESTION_CLOSED"): Verdict {
  return refuse(refusal(code));
}

/** Refuses when the check does; otherwise absorbs. */
export function refuseUnless(check: Result<void, Refusal>): Verdict {
  return check.ok ? absorbed : refuse(check.error);
}

/** Refuses an event. */
export function refuse(reason: Refusal): Verdict {
  return { type: "refused", refusal: reason };
}
