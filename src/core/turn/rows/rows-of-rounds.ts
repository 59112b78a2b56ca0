import { must } from "../../base/assert.ts";
import { refusal } from "../../base/errors.ts";
import type { ToolCallId } from "../../base/ids.ts";
import { answersText } from "../answer/answers-text.ts";
import type { TurnContext } from "../state/context.ts";
import type { PerformedEffect } from "../event/effect.ts";
import { noteWish } from "../step/compaction.ts";
import { stoppedState, timedOutState } from "../step/ending.ts";
import type { UnfinishedCall } from "../event/event.ts";
import {
  cancelledResults,
  closeRound,
  deferCall,
  openIn,
  addResult,
  addResults,
  type ActiveRound,
} from "../step/round.ts";
import { countRestart, stopsTooOften } from "../step/restarts.ts";
import type { CancelReason, ToolCall, ToolRound, TurnProgress } from "../state/state.ts";
import {
  absorb,
  closed,
  finish,
  invalid,
  refuse,
  step,
  stop,
  type EventOf,
  type StateOf,
  type TurnStep,
  type Verdict,
} from "../step/step.ts";
import type { Answer, Question } from "../state/question.ts";
import type { BringsSteers } from "../state/waiting.ts";
import { subAgentsMax } from "../../tool/agent/sub-agent-limits.ts";
import { answerFor, syntheticResult, type SyntheticReason } from "../answer/synthetic-result.ts";
import { absorbed, busy, noApproval, noQuestion, type Row } from "../step/table.ts";

/** At least one call is running. */
export const runningTools: Row<"running-tools"> = {
  "message-sent": busy,
  "reply-requested": busy,
  "summary-requested": busy,
  "compaction-requested": noteWish,
  "turn-cancelled": (state, { reason }, context) =>
    stopRound(state, { reason, context, open: (call) => (isRunning(state, call) ? "cancelled" : "skipped") }),
  "request-prepared": absorbed,
  "request-refused": absorbed,
  "compaction-due": absorbed,
  "compaction-finished": absorbed,
  "compaction-discarded": absorbed,
  "response-finished": absorbed,
  "response-failed": absorbed,
  "retry-due": absorbed,
  "tool-finished": (state, event, context) =>
    state.running.includes(event.callId) && event.result.tool_call_id === event.callId
      ? addResult(activeRound(state, context, event), event.result)
      : invalid(state, event),
  "approval-needed": (state, { request }, context) =>
    aloneOrLater(state, request.callId, context, (round) =>
      step(
        { type: "awaiting-approval", request, ...round, progress: state.progress },
        [],
        [{ type: "schedule-expiry", callId: request.callId, at: request.expiresAt }],
      ),
    ),
  "approval-answered": noApproval,
  "approval-expired": absorbed,
  "question-asked": (state, { callId, questions, asker }, context) => {
    if (asker === undefined) {
      return aloneOrLater(state, callId, context, (round) =>
        step({ type: "awaiting-answer", callId, questions, ...round, progress: state.progress }),
      );
    }
    if (!state.running.includes(callId)) return absorb();
    return step({ type: "awaiting-answer", callId, questions, asker, ...roundOf(state), progress: state.progress });
  },
  "question-answered": noQuestion,
  "sub-agents-planned": (state, event, context) => {
    const { callId, agents } = event;
    const fits = context.kind === "conversation" && agents.length <= subAgentsMax;
    if (!fits || agents.some(({ outcome }) => outcome !== null)) return invalid(state, event);
    if (new Set(agents.map(({ runId }) => runId)).size < agents.length) return invalid(state, event);
    return aloneOrLater(state, callId, context, (round) =>
      step(
        { type: "awaiting-sub-agents", callId, agents, ...round, progress: state.progress },
        [],
        agents.map((agent) => ({ type: "await-sub-agent", callId, agent })),
      ),
    );
  },
  "sub-agent-finished": absorbed,
  "deadline-reached": (state, _event, context) =>
    context.kind === "sub-agent" ? timeOut(state, abortAll(state)) : absorb(),
  "process-restarted": (state, event, context) => restart(state, event, context),
};

/** Nothing runs until a person decides whether one call may. */
export const awaitingApproval: Row<"awaiting-approval"> = {
  "message-sent": busy,
  "reply-requested": busy,
  "summary-requested": busy,
  "compaction-requested": noteWish,
  "turn-cancelled": (state, { reason }, context) =>
    stopRound(state, {
      reason,
      context,
      open: (call) => (call.id === state.request.callId ? "cancelled-before-execution" : "skipped"),
    }),
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
  "approval-answered": (state, event, context) => {
    const { callId, argumentsHash, decision, note } = event;
    if (callId !== state.request.callId || argumentsHash !== state.request.argumentsHash)
      return closed("APPROVAL_CLOSED");
    const call = callIn(state, callId);
    if (decision === "deny") return addResult(activeRound(state, context, event), denied(call, note));
    return step(
      { type: "running-tools", ...roundOf(state), running: [callId], progress: state.progress },
      [],
      [{ type: "run-tool", call, approved: argumentsHash }],
    );
  },
  "approval-expired": (state, event, context) =>
    event.callId === state.request.callId
      ? addResult(activeRound(state, context, event), syntheticResult(callIn(state, event.callId), "approval-expired"))
      : absorb(),
  "question-asked": absorbed,
  "question-answered": noQuestion,
  "sub-agents-planned": absorbed,
  "sub-agent-finished": absorbed,
  "deadline-reached": (state, _event, context) => (context.kind === "sub-agent" ? timeOut(state, []) : absorb()),
  "process-restarted": (state) => {
    const { callId, expiresAt } = state.request;
    return step(state, [], [{ type: "schedule-expiry", callId, at: expiresAt }]);
  },
};

/** A person is asked: by a call that does nothing else, or by the program of a running one. */
export const awaitingAnswer: Row<"awaiting-answer"> = {
  "message-sent": busy,
  "reply-requested": busy,
  "summary-requested": busy,
  "compaction-requested": noteWish,
  "turn-cancelled": (state, { reason }, context) =>
    stopRound(state, {
      reason,
      context,
      open: (call) => (isRunning(state, call) ? "cancelled" : call.id === state.callId ? "declined" : "skipped"),
    }),
  "request-prepared": absorbed,
  "request-refused": absorbed,
  "compaction-due": absorbed,
  "compaction-finished": absorbed,
  "compaction-discarded": absorbed,
  "response-finished": absorbed,
  "response-failed": absorbed,
  "retry-due": absorbed,
  "tool-finished": (state, event, context) =>
    state.running.includes(event.callId) && event.result.tool_call_id === event.callId
      ? stillAsked(state, addResult(activeRound(state, context, event), event.result))
      : absorb(),
  "approval-needed": (state, { request }, context) => deferBeside(state, request.callId, context),
  "approval-answered": noApproval,
  "approval-expired": absorbed,
  "question-asked": (state, { callId, asker }, context) =>
    asker === undefined ? deferBeside(state, callId, context) : absorb(),
  "question-answered": (state, event, context) => {
    const { callId, answers } = event;
    const { questions, asker } = state;
    if (callId !== state.callId) return closed("QUESTION_CLOSED");
    if (answers !== null && !isWhole(questions, answers)) {
      return refuse(refusal("INVALID_PARAMS", { expected: questions.length, actual: answers.length }));
    }
    if (asker !== undefined) {
      const goesOn = { type: "running-tools", ...roundOf(state), progress: state.progress } as const;
      return step(goesOn, [], [{ type: "answer-call", callId, answers }]);
    }
    const call = callIn(state, callId);
    if (answers === null) return addResult(activeRound(state, context, event), syntheticResult(call, "declined"));
    const text = answersText(questions, answers);
    return addResult(activeRound(state, context, event), answerFor(call, { outcome: "ok", text }));
  },
  "sub-agents-planned": (state, { callId }, context) => deferBeside(state, callId, context),
  "sub-agent-finished": absorbed,
  "deadline-reached": (state, _event, context) =>
    context.kind === "sub-agent" ? timeOut(state, abortAll(state)) : absorb(),
  "process-restarted": (state, event, context) =>
    state.running.length === 0
      ? absorb()
      : restart({ type: "running-tools", ...roundOf(state), progress: state.progress }, event, context),
};

type RoundState = StateOf<"running-tools" | "awaiting-approval" | "awaiting-answer" | "awaiting-sub-agents">;

/** Returns only the round of a state that holds one. */
export function roundOf({ pending, running, arrived, completed, parallel }: ToolRound): ToolRound {
  return { pending, running, arrived, completed, parallel };
}

/** Returns the round with the data of its turn. */
export function activeRound(
  state: ToolRound & { readonly progress: TurnProgress },
  context: TurnContext,
  { steers = [] }: BringsSteers = {},
): ActiveRound {
  return { round: roundOf(state), progress: state.progress, context, steers };
}

/** Returns the call with that id, which waits for its result. */
export function callIn({ pending }: ToolRound, id: ToolCallId): ToolCall {
  return must(
    pending.find((call) => call.id === id),
    "a waiting call belongs to the round",
  );
}

function isRunning({ running }: ToolRound, call: ToolCall): boolean {
  return running.includes(call.id);
}

function abortAll({ running }: ToolRound): readonly PerformedEffect[] {
  return running.map((callId) => ({ type: "abort-tool", callId }));
}

interface Stop {
  readonly reason: CancelReason;
  readonly context: TurnContext;
  /** The answer to a call without a result. */
  readonly open: (call: ToolCall) => SyntheticReason;
}

/** Ends a round at a person's cancel: every open call gets its one result. */
function stopRound(state: RoundState, { reason, context, open }: Stop): TurnStep {
  const saved = closeRound(state, cancelledResults(openIn(state), reason, open));
  return stop(stoppedState(state.progress, context), reason, saved, abortAll(state));
}

/**
 * Ends the round when a sub-agent's time is over: every open call gets its one result, and running tools are not awaited.
 */
function timeOut(state: RoundState, aborted: readonly PerformedEffect[]): TurnStep {
  return finish(
    timedOutState,
    closeRound(state, (call) => syntheticResult(call, "time-over")),
    aborted,
  );
}

/** Defers a call that must be alone while the program of another one asks. */
function deferBeside(state: StateOf<"awaiting-answer">, callId: ToolCallId, context: TurnContext): Verdict {
  if (!state.running.includes(callId) || callId === state.callId) return absorb();
  return stillAsked(state, deferCall(activeRound(state, context), callId));
}

/** Keeps a question open while its call still runs. */
function stillAsked({ callId, questions, asker }: StateOf<"awaiting-answer">, next: TurnStep): TurnStep {
  if (asker === undefined || next.state.type !== "running-tools" || !next.state.running.includes(callId)) return next;
  return { ...next, state: { ...next.state, type: "awaiting-answer", callId, questions, asker } };
}

function isWhole(questions: readonly Question[], answers: readonly Answer[]): boolean {
  const isAnswered = ({ optional }: Question, at: number): boolean =>
    optional === true || (answers[at]?.chosen.length ?? 0) > 0;
  return answers.length === questions.length && questions.every(isAnswered);
}

/** Runs a call that must be alone, or defers it until it is. */
function aloneOrLater(
  state: StateOf<"running-tools">,
  callId: ToolCallId,
  context: TurnContext,
  alone: (round: ToolRound) => TurnStep,
): Verdict {
  if (!state.running.includes(callId)) return absorb();
  return state.running.length > 1
    ? deferCall(activeRound(state, context), callId)
    : alone({ ...roundOf(state), running: [] });
}

function denied(call: ToolCall, note: string | undefined): ReturnType<typeof answerFor> {
  const said = note === undefined || note.trim() === "" ? "" : ` They say: ${note.trim()}`;
  return answerFor(call, { outcome: "denied", text: `Not run: a person did not allow this call.${said}` });
}

/** Handles a restart: calls that had started and may not run twice become "unknown"; the others run again. */
function restart(state: StateOf<"running-tools">, event: EventOf<"process-restarted">, context: TurnContext): TurnStep {
  const { calls: left } = event;
  const progress = countRestart(state.progress);
  const running = state.pending.filter((call) => isRunning(state, call));
  const factsOf = (call: ToolCall): UnfinishedCall | undefined => left.find(({ callId }) => callId === call.id);
  // Without facts about a call, it is not run twice.
  const tooOften = stopsTooOften(progress);
  const again = running.filter((call) => {
    const facts = factsOf(call);
    // Even an idempotent call may be what stops the process.
    return !tooOften && facts !== undefined && (!facts.started || facts.idempotent);
  });
  const unknown = running
    .filter((call) => !again.includes(call))
    .map((call) => syntheticResult(call, "outcome-unknown"));
  const runs = again.map((call) => ({ type: "run-tool", call, approved: factsOf(call)?.approved ?? null }) as const);
  return unknown.length === 0
    ? step({ ...state, progress }, [], runs)
    : addResults({ ...activeRound(state, context, event), progress }, unknown, runs);
}
