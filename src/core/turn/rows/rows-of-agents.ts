import { agentsResult, withOutcome } from "../answer/agents-result.ts";
import { noteWish } from "../step/compaction.ts";
import { stoppedState } from "../step/ending.ts";
import { cancelledResults, closeRound, openIn, addResult } from "../step/round.ts";
import { activeRound, callIn, roundOf } from "./rows-of-rounds.ts";
import {
  absorb,
  finish,
  invalid,
  noticeOf,
  step,
  stop,
  type EventOf,
  type StateOf,
  type Verdict,
} from "../step/step.ts";
import type { SubAgent } from "../state/sub-agent.ts";
import { absorbed, busy, noApproval, noQuestion, type Row } from "../step/table.ts";

/** Agents work for one call; the other calls wait. */
export const awaitingSubAgents: Row<"awaiting-sub-agents"> = {
  "message-sent": busy,
  "reply-requested": busy,
  "summary-requested": busy,
  "compaction-requested": noteWish,
  "turn-cancelled": (state, { reason }) => {
    const { callId, agents, progress } = state;
    return stop(
      { type: "cancelling-sub-agents", reason, callId, agents, ...roundOf(state), progress },
      reason,
      [],
      atWork(agents).map((agent) => ({ type: "cancel-sub-agent", agent })),
    );
  },
  "request-prepared": absorbed,
  "request-refused": absorbed,
  "compaction-due": absorbed,
  "compaction-finished": absorbed,
  "compaction-discarded": absorbed,
  "response-finished": absorbed,
  "response-failed": absorbed,
  "retry-due": absorbed,
  "tool-finished": absorbed,
  "approval-needed": absorbed,
  "approval-answered": noApproval,
  "approval-expired": absorbed,
  "question-asked": absorbed,
  "question-answered": noQuestion,
  "sub-agents-planned": absorbed,
  "sub-agent-finished": (state, event, context) =>
    ended(state, event, (agents) =>
      addResult(activeRound(state, context, event), agentsResult(callIn(state, state.callId), agents)),
    ),
  "deadline-reached": absorbed,
  "process-restarted": (state) => {
    const { callId, agents } = state;
    return step(
      state,
      [],
      atWork(agents).map((agent) => ({ type: "await-sub-agent", callId, agent })),
    );
  },
};

/** A person stopped the turn; it ends after every agent has ended. */
export const cancellingSubAgents: Row<"cancelling-sub-agents"> = {
  "message-sent": busy,
  "reply-requested": busy,
  "summary-requested": busy,
  "compaction-requested": busy,
  "turn-cancelled": (state, { reason }) =>
    reason === "control-taken" && state.reason !== "control-taken"
      ? step({ ...state, reason }, noticeOf(reason))
      : absorb(),
  "request-prepared": absorbed,
  "request-refused": absorbed,
  "compaction-due": absorbed,
  "compaction-finished": absorbed,
  "compaction-discarded": absorbed,
  "response-finished": absorbed,
  "response-failed": absorbed,
  "retry-due": absorbed,
  "tool-finished": absorbed,
  "approval-needed": absorbed,
  "approval-answered": noApproval,
  "approval-expired": absorbed,
  "question-asked": absorbed,
  "question-answered": noQuestion,
  "sub-agents-planned": absorbed,
  "sub-agent-finished": (state, event, context) =>
    ended(state, event, (agents) => {
      const { callId, reason, progress } = state;
      const cancelledResult = { ...agentsResult(callIn(state, callId), agents), outcome: "cancelled" } as const;
      const rest = cancelledResults(
        openIn(state).filter(({ id }) => id !== callId),
        reason,
        () => "skipped",
      );
      return finish(
        stoppedState(progress, context),
        closeRound(state, (call) => (call.id === callId ? cancelledResult : rest(call))),
      );
    }),
  "deadline-reached": absorbed,
  "process-restarted": (state) => {
    return step(
      state,
      [],
      atWork(state.agents).map((agent) => ({ type: "cancel-sub-agent", agent })),
    );
  },
};

function atWork(agents: readonly SubAgent[]): readonly SubAgent[] {
  return agents.filter(({ outcome }) => outcome === null);
}

type WithAgents = StateOf<"awaiting-sub-agents" | "cancelling-sub-agents">;

/** Records the end of one agent; `over` gives the step after the last one. A repeated end counts once. */
function ended(
  state: WithAgents,
  event: EventOf<"sub-agent-finished">,
  over: (agents: WithAgents["agents"]) => ReturnType<typeof step>,
): Verdict {
  const agent = state.agents.find(({ runId }) => runId === event.runId);
  if (agent === undefined) return invalid(state, event);
  if (agent.outcome !== null) return absorb();
  const agents = withOutcome(state.agents, event.runId, event.outcome);
  return atWork(agents).length > 0 ? step({ ...state, agents }) : over(agents);
}
