import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import { unreachable } from "../base/assert.ts";
import type { ToolCallId } from "../base/ids.ts";
import { isNonEmpty } from "../base/non-empty.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import { interrupted, toolUses, withNotice, withoutToolUses } from "../message/content.ts";
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../message/types.ts";
import type { ModelFailure } from "../model/failure.ts";
import { errorKind } from "../model/failure.ts";
import type { Usage } from "../message/usage.ts";
import { controlTakenNotice, isCanvasCall } from "./control-taken.ts";
import type { TurnEffect } from "./effect.ts";
import type { TurnEvent } from "./event.ts";
import { acceptsCancel, acceptsMessage } from "./precheck.ts";
import { attemptsMax, retryDelayLeftMs, retryDelayMs } from "./retry.ts";
import type { CancelReason, ToolCall, TurnState } from "./state.ts";
import { syntheticResult, type SyntheticReason } from "./synthetic-result.ts";

/** What one event leads to. `effects` are in order: what is stored comes before what is performed. */
export interface TurnStep {
  readonly state: TurnState;
  readonly effects: readonly TurnEffect[];
}

type StateOf<Type extends TurnState["type"]> = Extract<TurnState, { readonly type: Type }>;
type EventOf<Type extends TurnEvent["type"]> = Extract<TurnEvent, { readonly type: Type }>;
type Verdict = Result<TurnStep, Refusal>;

/**
 * Decides what one event does to a run. Pure and total: it never throws, and a refused event leaves the state as it is.
 * What comes too late (an answer to something since given up) is absorbed: accepted, without effects.
 */
export function transition(state: TurnState, event: TurnEvent): Verdict {
  switch (state.type) {
    case "idle":
    case "error":
      return atRest(state, event);
    case "awaiting":
      return whileAwaiting(state, event);
    case "requesting":
      return whileRequesting(state, event);
    case "running-tools":
      return whileRunningTools(state, event);
    case "cancelling":
      return whileCancelling(state, event);
    default:
      return unreachable(state);
  }
}

function atRest(state: StateOf<"idle" | "error">, event: TurnEvent): Verdict {
  switch (event.type) {
    case "message-sent":
      return ok(takeMessage(event.message));
    case "reply-requested":
      return ok(step({ type: "awaiting" }, [], [{ type: "prepare-request" }]));
    case "turn-cancelled":
      return refuseUnless(acceptsCancel(state), state);
    case "request-prepared":
    case "response-finished":
    case "response-failed":
    case "retry-due":
    case "tool-finished":
    case "process-restarted":
      return absorb(state);
    default:
      return unreachable(event);
  }
}

function whileAwaiting(state: StateOf<"awaiting">, event: TurnEvent): Verdict {
  switch (event.type) {
    case "message-sent":
    case "reply-requested":
      return refuseUnless(acceptsMessage(state), state);
    case "turn-cancelled":
      // Nothing has been asked yet, so there is nothing to wait for.
      return ok(stopAtOnce(event.reason, []));
    case "request-prepared":
      return ok(request(1, null));
    case "process-restarted":
      return ok({ state, effects: [{ type: "prepare-request" }] });
    case "response-finished":
    case "response-failed":
    case "retry-due":
    case "tool-finished":
      return absorb(state);
    default:
      return unreachable(event);
  }
}

function whileRequesting(state: StateOf<"requesting">, event: TurnEvent): Verdict {
  switch (event.type) {
    case "message-sent":
    case "reply-requested":
      return refuseUnless(acceptsMessage(state), state);
    case "turn-cancelled":
      // While a retry waits, no request is open that could report its end.
      return ok(
        state.retryAt === null
          ? step(
              { type: "cancelling", attempt: state.attempt, reason: event.reason },
              [...noticeOf(event.reason), { type: "preempt-leases" }],
              [{ type: "abort-request" }],
            )
          : stopAtOnce(event.reason, []),
      );
    case "response-finished":
      return isCurrent(state, event) ? ok(takeResponse(event.message, event.usage)) : absorb(state);
    case "response-failed":
      return isCurrent(state, event) ? ok(takeFailure(event)) : absorb(state);
    case "retry-due":
      return state.retryAt !== null && event.attempt === state.attempt
        ? ok(request(state.attempt, state.lastFailure))
        : invalid(state, event);
    case "process-restarted":
      return ok(askAgain(state, event));
    case "request-prepared":
    case "tool-finished":
      return absorb(state);
    default:
      return unreachable(event);
  }
}

function whileRunningTools(state: StateOf<"running-tools">, event: TurnEvent): Verdict {
  const [current, ...rest] = state.pending;
  switch (event.type) {
    case "message-sent":
    case "reply-requested":
      return refuseUnless(acceptsMessage(state), state);
    case "turn-cancelled":
      return ok(
        stopAtOnce(
          event.reason,
          cancelledResults(state.pending, event.reason, (at) => (at === 0 ? "cancelled" : "skipped")),
          [{ type: "abort-tool", callId: current.id }],
        ),
      );
    case "tool-finished":
      return event.callId === current.id && event.result.tool_call_id === current.id
        ? ok(runTools(rest, [...state.completed, current.id], [save(event.result)]))
        : invalid(state, event);
    case "process-restarted":
      return event.toolStarted && !event.toolIdempotent
        ? ok(runTools(rest, [...state.completed, current.id], [save(syntheticResult(current, "outcome-unknown"))]))
        : ok({ state, effects: [{ type: "run-tool", call: current }] });
    case "request-prepared":
    case "response-finished":
    case "response-failed":
    case "retry-due":
      return absorb(state);
    default:
      return unreachable(event);
  }
}

function whileCancelling(state: StateOf<"cancelling">, event: TurnEvent): Verdict {
  switch (event.type) {
    case "message-sent":
    case "reply-requested":
      return refuseUnless(acceptsMessage(state), state);
    case "response-finished":
      return event.attempt === state.attempt
        ? ok(closeInterrupted(state.reason, event.message, event.usage))
        : absorb(state);
    case "response-failed":
      return event.attempt === state.attempt ? ok(closeInterrupted(state.reason, event.partial, null)) : absorb(state);
    case "process-restarted":
      return ok(closeInterrupted(state.reason, event.partial, null));
    case "turn-cancelled":
      // Whoever takes control of what is just being stopped is told so, and finds it said under the reply.
      return event.reason === "control-taken" && state.reason !== "control-taken"
        ? ok(step({ ...state, reason: event.reason }, noticeOf(event.reason), []))
        : absorb(state);
    case "request-prepared":
    case "retry-due":
    case "tool-finished":
      return absorb(state);
    default:
      return unreachable(event);
  }
}

function takeMessage(message: UserMessage): TurnStep {
  return step({ type: "awaiting" }, [save(message), { type: "preempt-leases" }], [{ type: "prepare-request" }]);
}

function request(attempt: number, lastFailure: string | null): TurnStep {
  return step({ type: "requesting", attempt, retryAt: null, lastFailure }, [], [{ type: "request-model", attempt }]);
}

function takeResponse(message: AssistantMessage | null, usage: Usage): TurnStep {
  if (message === null)
    return comeToRest({ type: "idle" }, [{ type: "notify", notice: "The model gave an empty answer." }]);
  const calls = toolUses(message).map(callOf);
  const saved: readonly TurnEffect[] = [save(message, usage)];
  return isNonEmpty(calls) ? runTools(calls, [], saved) : comeToRest({ type: "idle" }, saved);
}

/** Runs the first call that can be run, answering those before it whose arguments are unreadable; else asks the model. */
function runTools(
  calls: readonly ToolCall[],
  completed: readonly ToolCallId[],
  saved: readonly TurnEffect[],
): TurnStep {
  const runnable = calls.findIndex((call) => call.argumentsError === undefined);
  const broken = runnable === -1 ? calls : calls.slice(0, runnable);
  const pending = runnable === -1 ? [] : calls.slice(runnable);
  const stored = [...saved, ...broken.map((call) => save(syntheticResult(call, "arguments-invalid")))];
  if (!isNonEmpty(pending)) return step({ type: "awaiting" }, stored, [{ type: "prepare-request" }]);
  return step({ type: "running-tools", pending, completed: [...completed, ...broken.map((call) => call.id)] }, stored, [
    { type: "run-tool", call: pending[0] },
  ]);
}

function takeFailure(event: EventOf<"response-failed">): TurnStep {
  const { attempt, failure } = event;
  const beside = saveBeside(event.partial);
  if (!failure.retryable) return fail(failure, failure.message, beside);
  if (attempt >= attemptsMax) return fail(failure, `Failed after ${attemptsMax} attempts: ${failure.message}`, beside);
  const delayMs = retryDelayMs(attempt, failure);
  const next = attempt + 1;
  // Providers end what they say with a full stop or without.
  const said = /[.!?…]$/u.test(failure.message) ? failure.message : `${failure.message}.`;
  const notice = `Attempt ${attempt} of ${attemptsMax} failed: ${said} Trying again in ${delayMs / 1_000} s.`;
  return step(
    { type: "requesting", attempt: next, retryAt: event.now + delayMs, lastFailure: failure.message },
    [...beside, { type: "notify", notice }],
    [{ type: "schedule-retry", attempt: next, delayMs }],
  );
}

function fail(failure: ModelFailure, message: string, saved: readonly TurnEffect[]): TurnStep {
  return comeToRest({ type: "error", kind: errorKind(failure.class), detail: failure.class, message }, saved);
}

/** After a crash: a retry that waited waits on; a request that was open is made again, and what it had shown is kept. */
function askAgain(state: StateOf<"requesting">, event: EventOf<"process-restarted">): TurnStep {
  if (state.retryAt !== null) {
    const delayMs = retryDelayLeftMs(state.retryAt, event.now);
    return { state, effects: [{ type: "schedule-retry", attempt: state.attempt, delayMs }] };
  }
  return { state, effects: [...saveBeside(event.partial), { type: "request-model", attempt: state.attempt }] };
}

/** A person's will comes first: even a reply that became whole meanwhile is kept as interrupted, and its calls never run. */
function closeInterrupted(reason: CancelReason, message: AssistantMessage | null, usage: Usage | null): TurnStep {
  if (message === null) return comeToRest({ type: "idle" }, []);
  const kept = interrupted(reason === "control-taken" ? withNotice(message, controlTakenNotice) : message);
  const calls = toolUses(message).map(callOf);
  const results = cancelledResults(calls, reason, () => "cancelled-before-execution");
  return comeToRest({ type: "idle" }, [save(kept, usage), ...results.map((result) => save(result))]);
}

/** One result for each call that a person's cancel leaves open; taking control is told by the first call to the canvas. */
function cancelledResults(
  calls: readonly ToolCall[],
  reason: CancelReason,
  otherwise: (at: number) => SyntheticReason,
): readonly ToolMessage[] {
  const refused = reason === "control-taken" ? calls.findIndex(isCanvasCall) : -1;
  return calls.map((call, at) => syntheticResult(call, at === refused ? "control-taken" : otherwise(at)));
}

/**
 * What a broken attempt had shown, kept as a node that nothing continues. Its calls never ran and nobody will answer
 * them, so they are left out.
 */
function saveBeside(partial: AssistantMessage | null): readonly TurnEffect[] {
  const kept = partial === null ? null : withoutToolUses(partial);
  if (kept === null) return [];
  return [{ type: "save-message", message: interrupted(kept), usage: null, headMoves: false }];
}

function stopAtOnce(
  reason: CancelReason,
  results: readonly ToolMessage[],
  performed: readonly TurnEffect[] = [],
): TurnStep {
  const saved = results.map((result) => save(result));
  return step({ type: "idle" }, [...saved, ...noticeOf(reason), { type: "preempt-leases" }], performed);
}

function noticeOf(reason: CancelReason): readonly TurnEffect[] {
  return reason === "control-taken" ? [{ type: "notify", notice: controlTakenNotice }] : [];
}

/** Comes to rest by itself: the leases go back. */
function comeToRest(state: StateOf<"idle" | "error">, saved: readonly TurnEffect[]): TurnStep {
  return step(state, saved, [{ type: "release-leases" }]);
}

function step(state: TurnState, saved: readonly TurnEffect[], performed: readonly TurnEffect[]): TurnStep {
  return { state, effects: [...saved, { type: "save-state", state }, ...performed] };
}

function save(message: Message, usage: Usage | null = null): TurnEffect {
  return { type: "save-message", message, usage, headMoves: true };
}

function callOf(use: ToolCall): ToolCall {
  const call = { id: use.id, name: use.name, parameters: use.parameters };
  return use.argumentsError === undefined ? call : { ...call, argumentsError: use.argumentsError };
}

function isCurrent(state: StateOf<"requesting">, event: { readonly attempt: number }): boolean {
  return state.retryAt === null && event.attempt === state.attempt;
}

function absorb(state: TurnState): Verdict {
  return ok({ state, effects: [] });
}

function invalid(state: TurnState, event: TurnEvent): Verdict {
  return err(refusal("INVALID_TRANSITION", { state: state.type, event: event.type }));
}

function refuseUnless(check: Result<void, Refusal>, state: TurnState): Verdict {
  return check.ok ? absorb(state) : check;
}
