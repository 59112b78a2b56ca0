import { assert } from "../../base/assert.ts";
import type { ToolCallId } from "../../base/ids.ts";
import { isNonEmpty, type NonEmptyArray } from "../../base/non-empty.ts";
import type { ToolMessage } from "../../message/types.ts";
import { allowsCall, noCalls, withCall } from "../../syntax/base/policy.ts";
import type { TurnContext } from "../state/context.ts";
import { isCanvasCall } from "../answer/control-taken.ts";
import type { PerformedEffect, SavedEffect } from "../event/effect.ts";
import type { ReplyFacts } from "../event/event.ts";
import { instruct, lastWordsText } from "./instruct.ts";
import type { CancelReason, ToolCall, ToolRound, TurnProgress } from "../state/state.ts";
import { resetRestarts } from "./restarts.ts";
import type { BringsSteers } from "../state/waiting.ts";
import { save, step, type TurnStep } from "./step.ts";
import { saveSteers, steered, steersTaken } from "./steers.ts";
import { syntheticResult, type SyntheticReason } from "../answer/synthetic-result.ts";

/** A round with the data of its turn, and the messages that wait for its end. */
export interface ActiveRound extends BringsSteers {
  readonly round: ToolRound;
  readonly progress: TurnProgress;
  readonly context: TurnContext;
}

/** Begins the calls of a reply; calls that must not run are answered at once. */
export function beginRound(
  calls: NonEmptyArray<ToolCall>,
  facts: ReplyFacts,
  saved: readonly SavedEffect[],
  active: Omit<ActiveRound, "round">,
): TurnStep {
  const round: ToolRound = {
    pending: calls,
    running: [],
    arrived: notRun(calls, facts),
    completed: [],
    parallel: facts.policy === "parallel",
  };
  return advance({ ...active, round }, saved, round.parallel ? "all" : "next");
}

/** Returns results for the calls that the policy or their own arguments keep from running. */
function notRun(calls: readonly ToolCall[], { policy, writes }: ReplyFacts): readonly ToolMessage[] {
  const answers: ToolMessage[] = [];
  let soFar = noCalls;
  for (const call of calls) {
    const tool = { access: writes.includes(call.id) ? "write" : "read" } as const;
    if (!allowsCall(policy, soFar, tool)) {
      answers.push(syntheticResult(call, policy === "smart" ? "write-alone" : "one-call-a-reply"));
      continue;
    }
    soFar = withCall(soFar, tool);
    if (call.argumentsError !== undefined) answers.push(syntheticResult(call, "arguments-invalid"));
  }
  return answers;
}

/** Adds one result. */
export function addResult(active: ActiveRound, result: ToolMessage): TurnStep {
  const { round } = active;
  const running = round.running.filter((id) => id !== result.tool_call_id);
  const arrived = inOrder(round, [...round.arrived, result]);
  const progress = resetRestarts(active.progress);
  return advance({ ...active, progress, round: { ...round, running, arrived } }, [], "next");
}

/** Adds several results after a restart, with the calls to run again. */
export function addResults(
  active: ActiveRound,
  results: readonly ToolMessage[],
  again: readonly PerformedEffect[],
): TurnStep {
  const { round } = active;
  const answered = new Set(results.map((result) => result.tool_call_id));
  const running = round.running.filter((id) => !answered.has(id));
  const arrived = inOrder(round, [...round.arrived, ...results]);
  const next = advance({ ...active, round: { ...round, running, arrived } }, [], "next");
  return { ...next, performed: [...next.performed, ...again] };
}

/** Defers a call that must run alone until the calls beside it have ended. */
export function deferCall({ round, ...active }: ActiveRound, callId: ToolCallId): TurnStep {
  const running = round.running.filter((id) => id !== callId);
  assert(running.length > 0, "a call that runs alone needs no deferring");
  return step({ type: "running-tools", ...round, running, progress: active.progress });
}

/** Stores the results that are next in order, then waits, runs the remaining calls, or asks the model again. */
function advance(active: ActiveRound, saved: readonly SavedEffect[], start: "all" | "next"): TurnStep {
  const { round, progress } = active;
  const arrivedById = new Map<ToolCallId, ToolMessage>();
  for (const result of round.arrived) arrivedById.set(result.tool_call_id, result);
  const stored: ToolMessage[] = [];
  for (const call of round.pending) {
    const result = arrivedById.get(call.id);
    if (result === undefined) break;
    stored.push(result);
  }
  const rest = round.pending.slice(stored.length);
  const kept = [...saved, ...stored.map((result) => save(result))];
  if (!isNonEmpty(rest)) return askAgain(active, kept);
  const left: ToolRound = {
    ...round,
    pending: rest,
    arrived: round.arrived.slice(stored.length),
    completed: [...round.completed, ...stored.map((result) => result.tool_call_id)],
  };
  if (left.running.length > 0) return step({ type: "running-tools", ...left, progress }, kept);
  const waiting = rest.filter((call) => !arrivedById.has(call.id));
  const begun = start === "all" ? waiting : waiting.slice(0, 1);
  return step(
    { type: "running-tools", ...left, running: begun.map((call) => call.id), progress },
    kept,
    begun.map((call) => ({ type: "run-tool", call, approved: null })),
  );
}

/**
 * Asks the model again after a complete round: with the messages that waited for it; else without tools when the turn has
 * used up its rounds.
 */
export function askAgain(active: Omit<ActiveRound, "round">, saved: readonly SavedEffect[]): TurnStep {
  const { progress, context } = active;
  const steers = steersTaken(active, progress, context);
  if (steers !== null) return steer(progress, [...saved, ...saveSteers(steers)]);
  const over = progress.asking === "reply" && progress.rounds >= context.roundsMax;
  return step(
    { type: "awaiting", progress: over ? { ...progress, asking: "last-words" } : progress },
    over ? [...saved, instruct("last-words", lastWordsText)] : saved,
    [{ type: "prepare-request" }],
  );
}

/** Asks the model again with people's messages, which `saved` adds to the branch. */
export function steer(progress: TurnProgress, saved: readonly SavedEffect[]): TurnStep {
  return step({ type: "awaiting", progress: steered(progress) }, saved, [{ type: "prepare-request" }]);
}

function inOrder({ pending }: ToolRound, results: readonly ToolMessage[]): readonly ToolMessage[] {
  const ordered: ToolMessage[] = [];
  for (const call of pending) {
    const result = results.find(({ tool_call_id }) => tool_call_id === call.id);
    if (result !== undefined) ordered.push(result);
  }
  return ordered;
}

/** Returns a result for each open call, in order; calls that have a result keep it. */
export function closeRound(round: ToolRound, otherwise: (call: ToolCall) => ToolMessage): readonly SavedEffect[] {
  return round.pending.map((call) =>
    save(round.arrived.find((result) => result.tool_call_id === call.id) ?? otherwise(call)),
  );
}

/**
 * Returns the results of the calls that a person's cancel leaves open. When control was taken, the first of them that
 * works on the canvas reports it.
 */
export function cancelledResults(
  calls: readonly ToolCall[],
  reason: CancelReason,
  otherwise: (call: ToolCall) => SyntheticReason,
): (call: ToolCall) => ToolMessage {
  const refused = reason === "control-taken" ? calls.find(isCanvasCall) : undefined;
  return (call) => syntheticResult(call, call.id === refused?.id ? "control-taken" : otherwise(call));
}

/** Returns the calls of a round without a result. */
export function openIn(round: ToolRound): readonly ToolCall[] {
  const arrived = new Set(round.arrived.map((result) => result.tool_call_id));
  return round.pending.filter((call) => !arrived.has(call.id));
}
