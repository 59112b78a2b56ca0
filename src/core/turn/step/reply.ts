import { isNonEmpty, type NonEmptyArray } from "../../base/non-empty.ts";
import { textOf, toolUses, withNotice } from "../../message/content.ts";
import type { AssistantMessage } from "../../message/types.ts";
import type { Usage } from "../../message/usage.ts";
import { readToolInput } from "../../tool/base/definitions.ts";
import { submitResult } from "../../tool/agent/submit-result.ts";
import { contextFull, contextWarning, type TurnContext } from "../state/context.ts";
import type { SavedEffect } from "../event/effect.ts";
import type { ReplyFacts } from "../event/event.ts";
import { instruct, noSummaryText, submissionText } from "./instruct.ts";
import { askAgain, beginRound, steer } from "./round.ts";
import { resetRestarts } from "./restarts.ts";
import type { ToolCall, TurnProgress } from "../state/state.ts";
import { atRest, takeDiscarded } from "./compaction.ts";
import { idleAfter } from "./ending.ts";
import { finish, save, step, type TurnStep } from "./step.ts";
import type { BringsSteers } from "../state/waiting.ts";
import { saveSteers, steersTaken } from "./steers.ts";
import { sumUp } from "./sum-up.ts";
import type { SubAgentFailure } from "../state/sub-agent.ts";
import { answerFor, syntheticResult, type SyntheticReason } from "../answer/synthetic-result.ts";

/** A complete reply, and what it was requested for. */
export interface Reply extends BringsSteers {
  /** null: the model gave an empty answer. */
  readonly message: AssistantMessage | null;
  readonly usage: Usage;
  readonly facts: ReplyFacts;
  readonly progress: TurnProgress;
  readonly context: TurnContext;
}

/** Returns the step after a complete reply: run its calls, take waiting messages, end the turn, or make one more request. */
export function stepAfterReply(given: Reply): TurnStep {
  const { fellBack } = given.progress;
  const told = given.message === null || fellBack === undefined ? given.message : withNotice(given.message, fellBack);
  const progress = withoutMadeRoom(resetRestarts(given.progress));
  const reply = { ...given, message: told, progress };
  const { message, usage } = reply;
  if (reply.progress.asking === "compaction") return takeWords(reply, []);
  if (
    message === null &&
    given.progress.steered === true &&
    steersTaken(reply, reply.progress, reply.context) === null
  ) {
    // Words right after results can bring an empty reply; the same history is sent once more.
    return step({ type: "awaiting", progress: reply.progress }, [], [{ type: "prepare-request" }]);
  }
  const saved = message === null ? [] : [save(message, usage)];
  const calls = message === null ? [] : toolUses(message).map(callOf);
  return isNonEmpty(calls) ? takeCalls(reply, calls, saved) : takeWords(reply, saved);
}

function withoutMadeRoom(before: TurnProgress): TurnProgress {
  if (before.madeRoom === undefined) return before;
  const { madeRoom: _madeRoom, ...progress } = before;
  return progress;
}

/** Returns a call as the machine stores it. */
export function callOf(use: ToolCall): ToolCall {
  const { id, name, parameters, argumentsError, editedBy } = use;
  return {
    id,
    name,
    parameters,
    ...(argumentsError === undefined ? {} : { argumentsError }),
    ...(editedBy === undefined ? {} : { editedBy }),
  };
}

function takeCalls(reply: Reply, calls: NonEmptyArray<ToolCall>, saved: readonly SavedEffect[]): TurnStep {
  const { facts, context } = reply;
  const progress = { ...reply.progress, rounds: reply.progress.rounds + 1 };
  const refuse = (reason: SyntheticReason): readonly SavedEffect[] => [
    ...saved,
    ...calls.map((call) => save(syntheticResult(call, reason))),
  ];
  if (context.kind === "sub-agent") {
    const [first] = calls;
    const submitted = calls.length === 1 && first.name === submitResult.name ? submissionOf(first) : null;
    if (submitted !== null) return finish(submitted.state, [...saved, save(submitted.answer)]);
    if (progress.asking === "reply" && calls.some(({ name }) => name === submitResult.name)) {
      const answers = calls.length === 1 ? [save(unreadable(first))] : refuse("submit-alone").slice(saved.length);
      return askAgain({ ...reply, progress }, [...saved, ...answers]);
    }
  }
  // No tools were offered, so the words have to suffice.
  if (progress.asking !== "reply") return takeWords(reply, refuse("not-offered"));
  if (isFull(facts)) return sumUp(reply, calls, refuse("context-full"));
  return beginRound(calls, facts, saved, { ...reply, progress });
}

interface Submission {
  readonly state: {
    readonly type: "completed";
    readonly result: string;
    readonly success: boolean;
    readonly implicit: false;
  };
  readonly answer: ReturnType<typeof answerFor>;
}

function submissionOf(call: ToolCall): Submission | null {
  const input = call.argumentsError === undefined ? readToolInput(submitResult, call.parameters) : null;
  if (input === null || !input.ok) return null;
  const { result, success } = input.value;
  return {
    state: { type: "completed", result, success, implicit: false },
    answer: answerFor(call, { outcome: "ok", text: "Submitted." }),
  };
}

function unreadable(call: ToolCall): ReturnType<typeof answerFor> {
  const input = readToolInput(submitResult, call.parameters);
  return call.argumentsError !== undefined || input.ok
    ? syntheticResult(call, "arguments-invalid")
    : answerFor(call, { outcome: "error", text: input.error.message });
}

/** Handles a reply without calls that may run; `saved` holds it. */
function takeWords(reply: Reply, saved: readonly SavedEffect[]): TurnStep {
  const text = reply.message === null ? "" : textOf(reply.message).trim();
  switch (reply.progress.asking) {
    case "summary":
    case "wished-summary":
      return finish({ type: "context-exhausted", summary: text === "" ? noSummaryText : text }, saved);
    case "compaction":
      return takeDiscarded(reply.progress, { reason: "no-words", usage: reply.usage }, reply.context);
    case "reply":
    case "submission":
    case "last-words":
      return reply.context.kind === "sub-agent" ? endSubAgent(reply, text, saved) : endTurn(reply, text, saved);
  }
}

const cutBeforeWords =
  "The model used up the token limit of its reply before it said anything. Allow longer replies, or ask for less at once.";

function endTurn(reply: Reply, text: string, saved: readonly SavedEffect[]): TurnStep {
  const { facts, message, progress, context } = reply;
  if (isFull(facts)) return sumUp(reply, [], saved);
  const steers = steersTaken(reply, progress, context);
  if (steers !== null) return steer(progress, [...saved, ...saveSteers(steers)]);
  const notices = [
    ...(message === null ? [facts.cut === true ? cutBeforeWords : "The model gave an empty answer."] : []),
    ...(message !== null && text === "" && progress.asking === "last-words"
      ? [
          `The agent called tools ${context.roundsMax} times without finishing and was stopped. Send a message to go on.`,
        ]
      : []),
    ...warningOf(facts),
  ];
  const told = [...saved, ...notices.map((notice) => ({ type: "notify", notice }) as const)];
  const { wish } = progress;
  if (wish === undefined) return finish(idleAfter(progress), told);
  return finish({ type: "awaiting", progress: atRest(wish) }, told, [{ type: "prepare-request" }]);
}

/** Ends a sub-agent that did not submit: asks once for the result, then takes its words as an implicit one. */
function endSubAgent(reply: Reply, text: string, saved: readonly SavedEffect[]): TurnStep {
  const { facts, progress, context } = reply;
  if (progress.asking === "reply" && !isFull(facts)) {
    return step(
      { type: "awaiting", progress: { ...progress, asking: "submission" } },
      [...saved, instruct("submission", submissionText)],
      [{ type: "prepare-request" }],
    );
  }
  if (text !== "") return finish({ type: "completed", result: text, success: true, implicit: true }, saved);
  const [reason, message]: readonly [SubAgentFailure, string] =
    progress.asking === "last-words"
      ? ["turn-limit", `The agent called tools ${context.roundsMax} times without a result.`]
      : ["unknown", "The agent ended without a result."];
  return finish({ type: "failed", reason, message }, saved);
}

/** Whether the window is full and nothing makes room before the next request. */
function isFull({ contextUsed, compacts }: ReplyFacts): boolean {
  return contextUsed !== null && contextUsed >= contextFull && compacts !== true;
}

function warningOf({ contextUsed, contextWarned, compacts }: ReplyFacts): readonly string[] {
  if (compacts === true || contextWarned || contextUsed === null || contextUsed <= contextWarning) return [];
  const percent = Math.floor(contextUsed * 100);
  return [
    `This branch fills ${percent} % of the model's context. At 90 % it is summarised and continues in a new branch.`,
  ];
}
