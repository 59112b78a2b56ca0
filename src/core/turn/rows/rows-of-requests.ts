import { interrupted, toolUses, withNotice, withoutToolUses } from "../../message/content.ts";
import type { AssistantMessage } from "../../message/types.ts";
import type { Usage } from "../../message/usage.ts";
import type { ModelFailure } from "../../model/failure.ts";
import type { TurnContext } from "../state/context.ts";
import { controlTakenNotice } from "../answer/control-taken.ts";
import type { SavedEffect } from "../event/effect.ts";
import type { Fallback } from "../event/event.ts";
import { beginCompaction, failCompaction, noteWish, takeCompaction, takeDiscarded } from "../step/compaction.ts";
import { failedState, stoppedState, timedOutState } from "../step/ending.ts";
import { callOf, stepAfterReply } from "../step/reply.ts";
import { countRestart, resetRestarts, stoppedTooOften, stopsTooOften } from "../step/restarts.ts";
import { attemptsMax, retryDelayLeftMs, retryDelayMs } from "../step/retry.ts";
import { cancelledResults, steer } from "../step/round.ts";
import { sentence } from "../step/sentence.ts";
import type { TurnProgress } from "../state/state.ts";
import {
  absorb,
  finish,
  invalid,
  noticeOf,
  save,
  step,
  stop,
  type EventOf,
  type StateOf,
  type TurnStep,
  type Verdict,
} from "../step/step.ts";
import { saveSteers, steered, steersTaken } from "../step/steers.ts";
import { absorbed, busy, noApproval, noQuestion, type Row } from "../step/table.ts";

/** The request is being prepared and not sent yet. */
export const awaiting: Row<"awaiting"> = {
  "message-sent": busy,
  "reply-requested": busy,
  "summary-requested": busy,
  "compaction-requested": noteWish,
  "turn-cancelled": ({ progress }, { reason }, context) => stop(stoppedState(progress, context), reason, []),
  "request-prepared": ({ progress: { skipsCompaction: _skips, ...progress } }, event, context) => {
    const steers = steersTaken(event, progress, context);
    return steers === null ? request(progress, 1, null) : steer(progress, saveSteers(steers));
  },
  "request-refused": ({ progress }, { failure }, context) =>
    progress.asking === "compaction"
      ? failCompaction(progress, failure.message, { context })
      : finish(failedState(failure, failure.message, { progress, context }), []),
  "compaction-due": ({ progress }, event) => beginCompaction(progress, event),
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
  "sub-agent-finished": absorbed,
  "deadline-reached": (_state, _event, { kind }) => (kind === "sub-agent" ? finish(timedOutState, []) : absorb()),
  "process-restarted": ({ progress }, _event, context) => {
    const again = countRestart(progress);
    if (stopsTooOften(again)) return giveUp(again, context, []);
    return step({ type: "awaiting", progress: again }, [], [{ type: "prepare-request" }]);
  },
};

/** A stream is open, or a retry waits. */
export const requesting: Row<"requesting"> = {
  "message-sent": busy,
  "reply-requested": busy,
  "summary-requested": busy,
  "compaction-requested": noteWish,
  "turn-cancelled": ({ attempt, retryAt, progress }, { reason }, context) =>
    // While a retry waits, no request is open that could report its end.
    retryAt === null
      ? stop({ type: "cancelling", attempt, reason, progress }, reason, [], [{ type: "abort-request" }])
      : stop(stoppedState(progress, context), reason, []),
  "request-prepared": absorbed,
  "request-refused": absorbed,
  "compaction-due": absorbed,
  "compaction-finished": (state, event) =>
    isCurrent(state, event) && state.progress.asking === "compaction"
      ? takeCompaction(resetRestarts(state.progress), event)
      : absorb(),
  "compaction-discarded": (state, event, context) =>
    isCurrent(state, event) && state.progress.asking === "compaction"
      ? takeDiscarded(resetRestarts(state.progress), event, context)
      : absorb(),
  "response-finished": (state, event, context) => {
    const { message, usage, facts, steers = [] } = event;
    const { progress } = state;
    return isCurrent(state, event) ? stepAfterReply({ message, usage, facts, progress, context, steers }) : absorb();
  },
  "response-failed": (state, event, context) =>
    isCurrent(state, event) ? takeFailure(state.progress, event, context) : absorb(),
  "retry-due": (state, event, context) => {
    const { attempt, lastFailure, progress } = state;
    if (state.retryAt === null || event.attempt !== attempt) return invalid(state, event);
    const steers = steersTaken(event, progress, context);
    return steers === null
      ? request(progress, attempt, lastFailure)
      : request(steered(progress), attempt, lastFailure, saveSteers(steers));
  },
  "tool-finished": absorbed,
  "approval-needed": absorbed,
  "approval-answered": noApproval,
  "approval-expired": absorbed,
  "question-asked": absorbed,
  "question-answered": noQuestion,
  "sub-agents-planned": absorbed,
  "sub-agent-finished": absorbed,
  "deadline-reached": (state, _event, { kind }) =>
    kind === "sub-agent"
      ? finish(timedOutState, [], state.retryAt === null ? [{ type: "abort-request" }] : [])
      : absorb(),
  "process-restarted": (state, event, context) => askAgain(state, event, context),
};

/** A person stopped the request; its stream is closing. */
export const cancelling: Row<"cancelling"> = {
  "message-sent": busy,
  "reply-requested": busy,
  "summary-requested": busy,
  "compaction-requested": busy,
  "turn-cancelled": (state, { reason }) =>
    // A person who takes control of a reply that is already being stopped gets the notice too, also under the reply.
    reason === "control-taken" && state.reason !== "control-taken"
      ? step({ ...state, reason }, noticeOf(reason))
      : absorb(),
  "request-prepared": absorbed,
  "request-refused": absorbed,
  "compaction-due": absorbed,
  "compaction-finished": (state, event, context) => closeCompaction(state, event, context),
  "compaction-discarded": (state, event, context) => closeCompaction(state, event, context),
  "response-finished": (state, event, context) =>
    event.attempt === state.attempt
      ? closeInterrupted(state, { message: event.message, usage: event.usage }, context)
      : absorb(),
  "response-failed": (state, event, context) =>
    event.attempt === state.attempt
      ? closeInterrupted(state, { message: event.partial, usage: null }, context)
      : absorb(),
  "retry-due": absorbed,
  "tool-finished": absorbed,
  "approval-needed": absorbed,
  "approval-answered": noApproval,
  "approval-expired": absorbed,
  "question-asked": absorbed,
  "question-answered": noQuestion,
  "sub-agents-planned": absorbed,
  "sub-agent-finished": absorbed,
  "deadline-reached": absorbed,
  "process-restarted": (state, event, context) =>
    closeInterrupted(state, { message: event.partial, usage: null }, context),
};

function request(
  progress: TurnProgress,
  attempt: number,
  lastFailure: string | null,
  saved: readonly SavedEffect[] = [],
): TurnStep {
  return step({ type: "requesting", attempt, retryAt: null, lastFailure, progress }, saved, [
    { type: "request-model", attempt, asking: progress.asking },
  ]);
}

function isCurrent(state: StateOf<"requesting">, event: { readonly attempt: number }): boolean {
  return state.retryAt === null && event.attempt === state.attempt;
}

function takeFailure(progress: TurnProgress, event: EventOf<"response-failed">, context: TurnContext): TurnStep {
  const { attempt, failure } = event;
  const beside = saveBeside(event.partial, progress);
  const fail = (message: string): TurnStep =>
    progress.asking === "compaction"
      ? failCompaction(progress, message, { context })
      : finish(failedState(failure, message, { progress, context }), beside);
  if (makesRoom(progress, event)) {
    const refused = { class: failure.class, message: failure.message };
    return step({ type: "awaiting", progress: { ...progress, refused } }, beside, [{ type: "prepare-request" }]);
  }
  const { fallback } = event;
  // No other model sums up in its place: without a summary the turn goes on as it is.
  if (fallback !== undefined && progress.asking !== "compaction" && staysAway(failure, attempt))
    return fallBack(progress, fallback, { failure, beside });
  if (!failure.retryable) return fail(failure.message);
  if (attempt >= attemptsMax) return fail(`Failed after ${attemptsMax} attempts: ${failure.message}`);
  const delayMs = retryDelayMs(attempt, failure);
  const next = attempt + 1;
  const notice = `Attempt ${attempt} of ${attemptsMax} failed: ${sentence(failure.message)} Trying again in ${delayMs / 1_000} s.`;
  return step(
    { type: "requesting", attempt: next, retryAt: event.now + delayMs, lastFailure: failure.message, progress },
    [...beside, { type: "notify", notice }],
    [{ type: "schedule-retry", attempt: next, delayMs }],
  );
}

/** Whether a compaction comes before a request that was refused as too long: once before each reply. */
function makesRoom({ asking, madeRoom }: TurnProgress, { compacts }: EventOf<"response-failed">): boolean {
  const isReply = asking === "reply" || asking === "last-words" || asking === "submission";
  return compacts === true && isReply && madeRoom !== true;
}

/** Whether a model is not worth a further attempt, though another one may answer: a limit or an outage, after its retries. */
function staysAway({ class: failureClass, retryable }: ModelFailure, attempt: number): boolean {
  const passes = failureClass === "rate-limit" || failureClass === "overloaded" || failureClass === "network";
  return failureClass === "quota" || (passes && (!retryable || attempt >= attemptsMax));
}

/** Asks the next model for what the last one did not answer; it keeps answering until the turn ends. */
function fallBack(
  progress: TurnProgress,
  { from, to }: Fallback,
  { failure, beside }: { readonly failure: ModelFailure; readonly beside: readonly SavedEffect[] },
): TurnStep {
  const fellBack = `${from} did not answer: ${sentence(failure.message)} ${to} answers instead.`;
  return step(
    {
      type: "requesting",
      attempt: 1,
      retryAt: null,
      lastFailure: failure.message,
      progress: { ...progress, fellBack },
    },
    [...beside, { type: "switch-model", model: to }, { type: "notify", notice: fellBack }],
    [{ type: "request-model", attempt: 1, asking: progress.asking }],
  );
}

/** Handles a crash: a waiting retry keeps waiting; an open request is made again, and what it had shown is kept. */
function askAgain(state: StateOf<"requesting">, event: EventOf<"process-restarted">, context: TurnContext): TurnStep {
  const { attempt, retryAt } = state;
  if (retryAt !== null) {
    return step(state, [], [{ type: "schedule-retry", attempt, delayMs: retryDelayLeftMs(retryAt, event.now) }]);
  }
  const progress = countRestart(state.progress);
  const beside = saveBeside(event.partial, progress);
  if (stopsTooOften(progress)) return giveUp(progress, context, beside);
  const steers = steersTaken(event, progress, context);
  return steers === null
    ? request(progress, attempt, state.lastFailure, beside)
    : request(steered(progress), attempt, state.lastFailure, [...beside, ...saveSteers(steers)]);
}

/** Ends the turn, because it may be what stops the process; a person decides whether to continue. */
function giveUp(progress: TurnProgress, context: TurnContext, saved: readonly SavedEffect[]): TurnStep {
  return finish(failedState(stoppedTooOften, stoppedTooOften.message, { progress, context }), saved);
}

/** Closes a stopped reply: even one completed in the meantime is kept as interrupted, and its calls never run. */
function closeInterrupted(
  { reason, progress }: StateOf<"cancelling">,
  { message, usage }: { readonly message: AssistantMessage | null; readonly usage: Usage | null },
  context: TurnContext,
): TurnStep {
  const state = stoppedState(progress, context);
  if (message === null || progress.asking === "compaction") return finish(state, []);
  const kept = interrupted(reason === "control-taken" ? withNotice(message, controlTakenNotice) : message);
  const calls = toolUses(message).map(callOf);
  const resultOf = cancelledResults(calls, reason, () => "cancelled-before-execution");
  return finish(state, [save(kept, usage), ...calls.map((call) => save(resultOf(call)))]);
}

/** Drops the summary of a stopped compaction, which was paid for: the branch is as before. */
function closeCompaction(
  state: StateOf<"cancelling">,
  { attempt, usage }: Pick<EventOf<"compaction-discarded">, "attempt" | "usage">,
  context: TurnContext,
): Verdict {
  if (attempt !== state.attempt || state.progress.asking !== "compaction") return absorb();
  return finish(stoppedState(state.progress, context), [{ type: "count-usage", usage }]);
}

/**
 * Saves what a broken attempt had shown as a node that nothing continues. Its calls never ran and never get results, so
 * they are left out. Nothing is shown of a compaction before it is whole.
 */
function saveBeside(partial: AssistantMessage | null, { asking }: TurnProgress): readonly SavedEffect[] {
  const kept = partial === null || asking === "compaction" ? null : withoutToolUses(partial);
  if (kept === null) return [];
  return [{ type: "save-message", message: interrupted(kept), usage: null, headMoves: false }];
}
