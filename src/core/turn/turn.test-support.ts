import type { NodeId, RootId, RunId, ToolCallId } from "../base/ids.ts";
import type { AssistantMessage, ToolMessage, UserMessage } from "../message/types.ts";
import { noUsage } from "../message/usage.ts";
import type { ModelFailure } from "../model/failure.ts";
import type { TurnContext } from "./state/context.ts";
import type { PerformedEffect, SavedEffect } from "./event/effect.ts";
import type { ReplyFacts, TurnEvent } from "./event/event.ts";
import type { Question } from "./state/question.ts";
import type { ToolCall, ToolRound, TurnProgress, TurnState } from "./state/state.ts";
import type { TurnStep } from "./step/step.ts";
import type { SubAgent } from "./state/sub-agent.ts";
import { transition } from "./transition.ts";

export const person: TurnContext = { kind: "conversation", roundsMax: 200 };
export const helper: TurnContext = { kind: "sub-agent", roundsMax: 3 };

export const id = (name: string): ToolCallId => name as ToolCallId;
export const call = (name: string, tool = "look"): ToolCall => ({ id: id(name), name: tool, parameters: {} });
export const user: UserMessage = { role: "user", content: [{ type: "text", text: "hello" }] };
const summedUp: UserMessage = {
  role: "user",
  content: [{ type: "text", text: "in short" }],
  instruction: "compaction",
};
export const answer: AssistantMessage = { role: "assistant", content: [{ type: "text", text: "hi" }] };

export function asking(...names: readonly [string, ...string[]]): AssistantMessage {
  const [first, ...rest] = names;
  const use = (name: string) => ({ type: "tool-use", id: id(name), name: "look", parameters: {} }) as const;
  return { role: "assistant", content: [use(first), ...rest.map(use)] };
}

export function result(name: string, outcome: ToolMessage["outcome"] = "ok"): ToolMessage {
  return {
    role: "tool",
    tool_call_id: id(name),
    tool_name: "look",
    content: [{ type: "text", text: `seen by ${name}` }],
    outcome,
  };
}

export const network: ModelFailure = { class: "network", message: "The line broke.", retryable: true };
export const auth: ModelFailure = { class: "auth", message: "The key was refused.", retryable: false };
export const facts: ReplyFacts = {
  policy: "serial-all",
  writes: [],
  contextUsed: null,
  contextWarned: false,
};
export const progress: TurnProgress = { rounds: 0, asking: "reply" };
export const inRound: TurnProgress = { rounds: 1, asking: "reply" };

/** A compaction before the first request of a turn. */
export const compacting: TurnProgress = {
  rounds: 0,
  asking: "compaction",
  compaction: { next: "reply", by: "share", messages: 41, midTurn: false, overflow: null },
};

/** A round in which b and c are open, a is answered, and nothing runs. */
export const round: ToolRound = {
  pending: [call("b"), call("c")],
  running: [],
  arrived: [],
  completed: [id("a")],
  parallel: false,
};
export const question: Question = {
  question: "Which?",
  options: [{ label: "One" }, { label: "Two" }],
  multiple: false,
};
export const agent = (name: string): SubAgent => ({
  runId: name as RunId,
  rootId: `root of ${name}` as RootId,
  task: `task of ${name}`,
  deadlineAt: 60_000,
  outcome: null,
});

/** One state of each type; in the rounds b is the current call. */
export const states: { readonly [Type in TurnState["type"]]: Extract<TurnState, { type: Type }> } = {
  idle: { type: "idle" },
  awaiting: { type: "awaiting", progress },
  requesting: { type: "requesting", attempt: 1, retryAt: null, lastFailure: null, progress },
  "running-tools": { type: "running-tools", ...round, running: [id("b")], progress: inRound },
  "awaiting-approval": {
    type: "awaiting-approval",
    request: { callId: id("b"), argumentsHash: "aa", reason: "tier", expiresAt: 9_000 },
    ...round,
    progress: inRound,
  },
  "awaiting-answer": { type: "awaiting-answer", callId: id("b"), questions: [question], ...round, progress: inRound },
  "awaiting-sub-agents": {
    type: "awaiting-sub-agents",
    callId: id("b"),
    agents: [agent("x")],
    ...round,
    progress: inRound,
  },
  cancelling: { type: "cancelling", attempt: 1, reason: "stopped", progress },
  "cancelling-sub-agents": {
    type: "cancelling-sub-agents",
    reason: "stopped",
    callId: id("b"),
    agents: [agent("x")],
    ...round,
    progress: inRound,
  },
  error: { type: "error", kind: "auth", detail: "auth", message: "The key was refused." },
  "context-exhausted": { type: "context-exhausted", summary: "All is done." },
  completed: { type: "completed", result: "Found it.", success: true, implicit: false },
  failed: { type: "failed", reason: "timed-out", message: "Too late." },
};

export const waiting: Extract<TurnState, { type: "requesting" }> = {
  type: "requesting",
  attempt: 2,
  retryAt: 5_000,
  lastFailure: "The line broke.",
  progress,
};

/** One event of each type, about b, x and attempt 1. */
export const events: { readonly [Type in TurnEvent["type"]]: Extract<TurnEvent, { type: Type }> } = {
  "message-sent": { type: "message-sent", message: user },
  "reply-requested": { type: "reply-requested" },
  "summary-requested": { type: "summary-requested" },
  "compaction-requested": { type: "compaction-requested", wish: { focus: "names" } },
  "turn-cancelled": { type: "turn-cancelled", reason: "stopped" },
  "request-prepared": { type: "request-prepared" },
  "request-refused": { type: "request-refused", failure: auth },
  "compaction-due": { type: "compaction-due", by: "share", messages: 41, midTurn: false, overflow: null },
  "compaction-finished": {
    type: "compaction-finished",
    attempt: 1,
    message: summedUp,
    compacts: {
      through: "n1" as NodeId,
      messages: 41,
      tokensBefore: 9_000,
      tokensAfter: 900,
      by: "share",
      model: "m/m",
    },
    canvas: null,
    usage: noUsage,
  },
  "compaction-discarded": { type: "compaction-discarded", attempt: 1, reason: "not-smaller", usage: noUsage },
  "response-finished": { type: "response-finished", attempt: 1, message: answer, usage: noUsage, facts },
  "response-failed": { type: "response-failed", attempt: 1, failure: network, partial: null, now: 1_000 },
  "retry-due": { type: "retry-due", attempt: 1 },
  "tool-finished": { type: "tool-finished", callId: id("b"), result: result("b") },
  "approval-needed": {
    type: "approval-needed",
    request: { callId: id("b"), argumentsHash: "aa", reason: "tier", expiresAt: 9_000 },
  },
  "approval-answered": { type: "approval-answered", callId: id("b"), argumentsHash: "aa", decision: "allow" },
  "approval-expired": { type: "approval-expired", callId: id("b") },
  "question-asked": { type: "question-asked", callId: id("b"), questions: [question] },
  "question-answered": { type: "question-answered", callId: id("b"), answers: [{ chosen: ["One"] }] },
  "sub-agents-planned": { type: "sub-agents-planned", callId: id("b"), agents: [agent("x")] },
  "sub-agent-finished": {
    type: "sub-agent-finished",
    runId: "x" as RunId,
    outcome: { type: "completed", result: "Found it.", success: true, implicit: false },
  },
  "deadline-reached": { type: "deadline-reached" },
  "process-restarted": {
    type: "process-restarted",
    partial: null,
    calls: [{ callId: id("b"), started: true, idempotent: false, approved: null }],
    now: 1_000,
  },
};

/** Returns a verdict as a line: the state reached, what is saved, then what is performed; or the code of the refusal. */
export function verdictLine(state: TurnState, event: TurnEvent, context: TurnContext = person): string {
  const verdict = transition(state, event, context);
  if (verdict.type === "refused") return verdict.refusal.code;
  if (verdict.type === "absorbed") return "absorbed";
  const saved = verdict.saved.map(({ type }) => type).join(", ");
  const performed = verdict.performed.map(({ type }) => type).join(", ");
  return `${name(verdict.state)}${saved === "" ? "" : `: ${saved}`}${performed === "" ? "" : `, then ${performed}`}`;
}

function name(state: TurnState): string {
  return state.type === "requesting" ? `requesting ${state.attempt}` : state.type;
}

/** Returns the step of an accepted event. */
export function taken(state: TurnState, event: TurnEvent, context: TurnContext = person): TurnStep {
  const verdict = transition(state, event, context);
  if (verdict.type !== "applied") throw new Error(verdictLine(state, event, context));
  return verdict;
}

/** Applies events one after the other. */
export function walked(state: TurnState, sent: readonly TurnEvent[], context: TurnContext = person): TurnState {
  return sent.reduce((now, event) => taken(now, event, context).state, state);
}

export function messagesOf(effects: readonly SavedEffect[]): readonly unknown[] {
  return effects.flatMap((effect) => (effect.type === "save-message" ? [effect.message] : []));
}

/** Returns the texts of the saved messages, and how each ended. */
export function outcomes(effects: readonly SavedEffect[]): readonly string[] {
  return effects.flatMap((effect) => {
    if (effect.type !== "save-message") return [];
    const { message } = effect;
    if (message.role === "tool") {
      const [block] = message.content;
      return [`${message.tool_call_id} ${message.outcome}: ${block.type === "text" ? block.text : block.type}`];
    }
    if (message.role === "user" && message.instruction !== undefined) return [`instruction: ${message.instruction}`];
    return [message.role === "assistant" && message.interrupted === true ? "assistant, interrupted" : message.role];
  });
}

/** Returns the calls that start. */
export function runsOf(effects: readonly PerformedEffect[]): readonly string[] {
  return effects.flatMap((effect) => (effect.type === "run-tool" ? [effect.call.id] : []));
}
