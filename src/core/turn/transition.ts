import type { TurnContext } from "./state/context.ts";
import type { TurnEvent } from "./event/event.ts";
import { failedRequest, ended, idle } from "./rows/rows-of-settled.ts";
import { awaitingSubAgents, cancellingSubAgents } from "./rows/rows-of-agents.ts";
import { awaiting, cancelling, requesting } from "./rows/rows-of-requests.ts";
import { awaitingAnswer, awaitingApproval, runningTools } from "./rows/rows-of-rounds.ts";
import type { TurnState } from "./state/state.ts";
import type { Verdict } from "./step/step.ts";
import type { Events, Row, States } from "./step/table.ts";

/** The whole machine: the verdict on each event in each state. */
const table: { readonly [State in keyof States]: Row<State> } = {
  idle,
  awaiting,
  requesting,
  "running-tools": runningTools,
  "awaiting-approval": awaitingApproval,
  "awaiting-answer": awaitingAnswer,
  "awaiting-sub-agents": awaitingSubAgents,
  cancelling,
  "cancelling-sub-agents": cancellingSubAgents,
  error: failedRequest,
  "context-exhausted": ended,
  completed: ended,
  failed: ended,
};

/**
 * Decides what an event does to a run. It is pure, covers every state and event, and never throws. An impossible event
 * is refused, with the code for its sender (INVALID_TRANSITION for the host's own), and the
 * state is unchanged. An event that comes too late is accepted without effects.
 */
export function transition(state: TurnState, event: TurnEvent, context: TurnContext): Verdict {
  return cell(state.type, event.type)(state, event, context);
}

function cell<State extends keyof States, Event extends keyof Events>(
  state: State,
  event: Event,
): (state: States[State], event: Events[Event], context: TurnContext) => Verdict {
  const row: Row<State> = table[state];
  return row[event];
}
