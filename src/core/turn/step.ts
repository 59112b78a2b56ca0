import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import type { Message } from "../message/types.ts";
import type { Usage } from "../message/usage.ts";
import { controlTakenNotice } from "./control-taken.ts";
import type { TurnEffect } from "./effect.ts";
import type { TurnEvent } from "./event.ts";
import type { CancelReason, TurnState } from "./state.ts";

/** What one event leads to. `effects` are in order: what is stored comes before what is performed. */
export interface TurnStep {
  readonly state: TurnState;
  readonly effects: readonly TurnEffect[];
}

/** The state, and the event, of a type. */
export type StateOf<Type extends TurnState["type"]> = Extract<TurnState, { readonly type: Type }>;
export type EventOf<Type extends TurnEvent["type"]> = Extract<TurnEvent, { readonly type: Type }>;
/** What a cell of the table says to one event. */
export type Verdict = Result<TurnStep, Refusal>;

/** A step that stores something and reaches a state, then does something. */
export function step(
  state: TurnState,
  saved: readonly TurnEffect[] = [],
  performed: readonly TurnEffect[] = [],
): TurnStep {
  return { state, effects: [...saved, { type: "save-state", state }, ...performed] };
}

/** Comes to rest by itself: the leases go back. */
export function comeToRest(
  state: TurnState,
  saved: readonly TurnEffect[],
  performed: readonly TurnEffect[] = [],
): TurnStep {
  return step(state, saved, [...performed, { type: "release-leases" }]);
}

/** A person ends what the run did: its leases end in the same transaction. */
export function stop(
  state: TurnState,
  reason: CancelReason,
  saved: readonly TurnEffect[],
  performed: readonly TurnEffect[] = [],
): TurnStep {
  return step(state, [...saved, ...noticeOf(reason), { type: "preempt-leases" }], performed);
}

/** What people are told of a cancel. */
export function noticeOf(reason: CancelReason): readonly TurnEffect[] {
  return reason === "control-taken" ? [{ type: "notify", notice: controlTakenNotice }] : [];
}

/** Puts a message at the head of the branch. */
export function save(message: Message, usage: Usage | null = null): TurnEffect {
  return { type: "save-message", message, usage, headMoves: true };
}

/** Accepts what comes too late, or changes nothing. */
export function absorb(state: TurnState): Verdict {
  return ok({ state, effects: [] });
}

/** Refuses an event that cannot come in this state. */
export function invalid(state: TurnState, event: TurnEvent): Verdict {
  return err(refusal("INVALID_TRANSITION", { state: state.type, event: event.type }));
}

/** Answers what a person sent too late: it was answered before, has expired, or the turn is over. */
export function closed(code: "APPROVAL_CLOSED" | "QUESTION_CLOSED"): Verdict {
  return err(refusal(code));
}

/** Refuses what the check refuses; else nothing changes. */
export function refuseUnless(check: Result<void, Refusal>, state: TurnState): Verdict {
  return check.ok ? absorb(state) : check;
}
