import type { TurnContext } from "../state/context.ts";
import type { TurnEvent } from "../event/event.ts";
import { acceptsCancel, acceptsMessage } from "./precheck.ts";
import type { TurnState } from "../state/state.ts";
import { absorb, closed, refuseUnless, type EventOf, type StateOf, type Verdict } from "./step.ts";

/** Every state, and every event, by its type. */
export type States = { readonly [Type in TurnState["type"]]: StateOf<Type> };
export type Events = { readonly [Type in TurnEvent["type"]]: EventOf<Type> };

/** The verdict on each event in one state. A row with a missing cell does not compile. */
export type Row<State extends keyof States> = {
  readonly [Event in keyof Events]: (state: States[State], event: Events[Event], context: TurnContext) => Verdict;
};

/** Absorbs an event that comes too late or changes nothing. */
export const absorbed = (): Verdict => absorb();

/** Refuses a message with the reason why the run accepts none now. */
export const busy = (state: TurnState): Verdict => refuseUnless(acceptsMessage(state));

/** Refuses a cancel when there is nothing to stop. */
export const nothingToStop = (state: TurnState): Verdict => refuseUnless(acceptsCancel(state));

/** Refuses an approval: none is open here. */
export const noApproval = (): Verdict => closed("APPROVAL_CLOSED");

/** Refuses an answer: no question is open here. */
export const noQuestion = (): Verdict => closed("QUESTION_CLOSED");
