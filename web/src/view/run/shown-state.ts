import { traitsOf } from "../../../../src/core/block/kinds.ts";
import type { ConnectionState } from "../../../../src/client/base/types.ts";
import { unreachable } from "../../../../src/core/base/assert.ts";
import type { FailureClass } from "../../../../src/core/model/failure.ts";
import { attemptsMax } from "../../../../src/core/turn/step/retry.ts";
import { isSettled } from "../../../../src/core/turn/step/precheck.ts";
import type { TurnProgress, CancelReason } from "../../../../src/core/turn/state/state.ts";
import type { SubAgent } from "../../../../src/core/turn/state/sub-agent.ts";
import { errorTitle } from "../words/failure-words.ts";
import type { RunHead } from "./run-head.ts";

/** Everything the state line can say. The connection comes first, then what the person just did, then the run. */
export type ShownState =
  | { readonly type: "connecting" }
  | { readonly type: "offline"; readonly retryAt: number; readonly unsent: number }
  | { readonly type: "reconnecting"; readonly retryAt: number; readonly unsent: number }
  | { readonly type: "reconnected" }
  | { readonly type: "idle" }
  | { readonly type: "sending" }
  /** A message was refused because the agent works; it waits in the composer. */
  | { readonly type: "busy" }
  | { readonly type: "queued" }
  | { readonly type: "waiting" }
  | { readonly type: "requesting"; readonly attempt: number; readonly since: number }
  | {
      readonly type: "retrying";
      readonly attempt: number;
      readonly retryAt: number;
      readonly lastFailure: string | null;
    }
  | { readonly type: "thinking" }
  | { readonly type: "streaming"; readonly charactersPerSecond: number | null }
  | {
      readonly type: "tool";
      readonly place: number;
      readonly of: number;
      /** Of the call that runs, or the first of those that run side by side. */
      readonly name: string;
      readonly sideBySide: number;
      /** UTC milliseconds by the server's clock. */
      readonly since: number;
    }
  | { readonly type: "approval"; readonly name: string; readonly expiresAt: number }
  | { readonly type: "question"; readonly count: number }
  | { readonly type: "agents"; readonly done: number; readonly of: number; readonly since: number }
  | { readonly type: "cancelling"; readonly reason: CancelReason }
  | { readonly type: "cancelling-agents"; readonly left: number }
  | { readonly type: "cancelled" }
  | { readonly type: "exhausted" }
  | { readonly type: "completed"; readonly success: boolean }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "summing-up" }
  /** Earlier messages are replaced by a summary; `messages`: how many, 0 while that is not known. */
  | { readonly type: "compacting"; readonly messages: number }
  | { readonly type: "last-words" }
  | { readonly type: "error"; readonly detail: FailureClass; readonly message: string };

/** What colour a state has: the few that mean something. */
type Tone = "quiet" | "working" | "waiting" | "good" | "bad";

export interface StateWords {
  readonly label: string;
  readonly tone: Tone;
  /** For a screen reader, said once when the state begins; null says nothing. */
  readonly announcement: string | null;
}

type Vocabulary = {
  readonly [Type in ShownState["type"]]: (
    state: Extract<ShownState, { readonly type: Type }>,
    now: number,
  ) => StateWords;
};

const cancellingWords: { readonly [Reason in CancelReason]: StateWords } = {
  stopped: { label: "Cancelling…", tone: "waiting", announcement: "Cancelling." },
  "control-taken": { label: "Taking control…", tone: "waiting", announcement: "Taking control." },
  "rights-ended": { label: "Ending: the right to ask is over", tone: "waiting", announcement: "The turn ends." },
};

// One entry a state: a state without words does not compile.
const vocabulary: Vocabulary = {
  connecting: () => ({ label: "Connecting…", tone: "waiting", announcement: null }),
  offline: (state, now) => ({
    label: join("Offline", `trying again in ${seconds(state.retryAt - now)}`, unsent(state.unsent)),
    tone: "bad",
    announcement: "Offline. What you type is kept.",
  }),
  reconnecting: (state, now) => ({
    label: join(`Reconnecting in ${seconds(state.retryAt - now)}`, unsent(state.unsent)),
    tone: "waiting",
    announcement: "Connection lost, reconnecting. What you type is kept.",
  }),
  reconnected: () => ({ label: "Reconnected", tone: "good", announcement: "Connected again." }),
  idle: () => ({ label: "Ready", tone: "quiet", announcement: null }),
  sending: () => ({ label: "Sending…", tone: "waiting", announcement: null }),
  busy: () => ({
    label: "The agent is busy · your message is kept in the composer",
    tone: "waiting",
    announcement: "The agent is busy. Your message is kept in the composer.",
  }),
  queued: () => ({
    label: "Queued · starts when the agent is free",
    tone: "waiting",
    announcement: "Your message is queued.",
  }),
  waiting: () => ({ label: "Waiting for the model", tone: "working", announcement: "Waiting for the model." }),
  requesting: (state, now) => ({
    label: join(
      state.attempt > 1 ? `Requesting · attempt ${state.attempt} of ${attemptsMax}` : "Requesting",
      elapsed(now - state.since),
    ),
    tone: "working",
    announcement: state.attempt > 1 ? `Asking again, attempt ${state.attempt} of ${attemptsMax}.` : null,
  }),
  retrying: (state, now) => ({
    label: join(
      `Requesting · attempt ${state.attempt} of ${attemptsMax}`,
      `again in ${seconds(state.retryAt - now)}`,
      state.lastFailure ?? "",
    ),
    tone: "waiting",
    announcement: "The request failed. Trying again.",
  }),
  thinking: () => ({ label: "Thinking", tone: "working", announcement: "Thinking." }),
  streaming: (state) => ({
    // About four characters make a token; what the provider counts comes with the finished reply.
    label:
      state.charactersPerSecond === null
        ? "Writing"
        : `Writing · about ${Math.max(1, Math.round(state.charactersPerSecond / 4))} tokens/s`,
    tone: "working",
    announcement: "Writing a reply.",
  }),
  tool: (state, now) => ({
    label: join(
      state.sideBySide > 1
        ? `${state.sideBySide} tools at once, of ${state.of}`
        : state.of > 1
          ? `Tool ${state.place} of ${state.of}: ${state.name}`
          : `Tool: ${state.name}`,
      elapsed(now - state.since),
    ),
    tone: "working",
    announcement: `Running ${state.name.replaceAll("_", " ")}.`,
  }),
  approval: (state) => ({
    label: `Waiting for you: may ${state.name} run?`,
    tone: "waiting",
    announcement: `The agent asks whether it may run ${state.name.replaceAll("_", " ")}.`,
  }),
  question: (state) => ({
    label: state.count === 1 ? "Waiting for your answer" : `Waiting for your answers to ${state.count} questions`,
    tone: "waiting",
    announcement: "The agent asks you a question.",
  }),
  agents: (state, now) => ({
    label: join(`Sub-agents ${state.done} of ${state.of} done`, elapsed(now - state.since)),
    tone: "working",
    announcement: state.of === 1 ? "A sub-agent works." : `${state.of} sub-agents work.`,
  }),
  cancelling: ({ reason }) => cancellingWords[reason],
  "cancelling-agents": ({ left }) => ({
    label: left === 1 ? "Cancelling… · one sub-agent is ending" : `Cancelling… · ${left} sub-agents are ending`,
    tone: "waiting",
    announcement: "Cancelling.",
  }),
  "summing-up": () => ({
    label: "The context is full · summarizing",
    tone: "working",
    announcement: "The context is full. The model is summarizing.",
  }),
  compacting: ({ messages }) => ({
    label:
      messages === 0
        ? "Summing up earlier messages…"
        : `Summing up ${messages} ${messages === 1 ? "message" : "messages"}…`,
    tone: "working",
    announcement: "Summing up earlier messages.",
  }),
  "last-words": () => ({
    label: "The turn’s tool calls are used up · asking for a final answer",
    tone: "working",
    announcement: "The turn’s tool calls are used up.",
  }),
  exhausted: () => ({
    label: "The context is full · continue in a new branch",
    tone: "waiting",
    announcement: "The context is full. Continue in a new branch.",
  }),
  completed: ({ success }) => ({
    label: success ? "Done" : "Gave up",
    tone: success ? "good" : "bad",
    announcement: null,
  }),
  failed: ({ message }) => ({ label: message, tone: "bad", announcement: null }),
  cancelled: () => ({ label: "Cancelled · what was written is kept", tone: "quiet", announcement: "Cancelled." }),
  error: (state) => ({ label: errorTitle(state), tone: "bad", announcement: `${errorTitle(state)}.` }),
};

export function describeState(state: ShownState, now: number): StateWords {
  // The table is indexed by the state's own type, which TypeScript cannot follow through a union.
  const words = vocabulary[state.type] as (state: ShownState, now: number) => StateWords;
  return words(state, now);
}

/** Whether a state's words change by the clock alone. */
export function countsDown(state: ShownState): boolean {
  return state.type === "offline" || state.type === "reconnecting" || state.type === "retrying";
}

/** Whether a state's words tell how long it has lasted. */
export function countsUp(state: ShownState): boolean {
  return state.type === "requesting" || state.type === "tool" || state.type === "agents";
}

export interface Situation {
  readonly connection: ConnectionState;
  readonly now: number;
  readonly run: RunHead | null;
  readonly sending: boolean;
  readonly busy: boolean;
  readonly interrupted: boolean;
  readonly charactersPerSecond: number | null;
}

/** How long "Reconnected" stays. Milliseconds. */
export const reconnectedMs = 2_000;

export function shownState(situation: Situation): ShownState {
  const { connection, now } = situation;
  switch (connection.type) {
    case "connecting":
    case "refused":
      return { type: "connecting" };
    case "reconnecting":
    case "offline":
      return { type: connection.type, retryAt: connection.retryAt, unsent: connection.unsent };
    case "live":
      if (connection.reconnected && now - connection.since < reconnectedMs) return { type: "reconnected" };
      return conversationState(situation);
    default:
      return unreachable(connection);
  }
}

function conversationState(situation: Situation): ShownState {
  if (situation.busy) return { type: "busy" };
  const state = runState(situation);
  if (state.type === "idle" && situation.sending) return { type: "sending" };
  return state;
}

function runState({ run, interrupted, charactersPerSecond }: Situation): ShownState {
  if (run === null) return interrupted ? { type: "cancelled" } : { type: "idle" };
  const { state, since } = run;
  switch (state.type) {
    case "idle":
      if (run.queued) return { type: "queued" };
      return interrupted ? { type: "cancelled" } : { type: "idle" };
    case "awaiting":
      return askedFor(state.progress) ?? { type: "waiting" };
    case "requesting": {
      if (state.retryAt !== null) {
        return { type: "retrying", attempt: state.attempt, retryAt: state.retryAt, lastFailure: state.lastFailure };
      }
      const { writing } = run;
      if (writing === null) return askedFor(state.progress) ?? { type: "requesting", attempt: state.attempt, since };
      return traitsOf(writing.kind).shownAs === "thinking"
        ? { type: "thinking" }
        : { type: "streaming", charactersPerSecond };
    }
    case "running-tools": {
      const { pending, running, arrived, completed } = state;
      const first = pending.find(({ id }) => running.includes(id)) ?? pending[0];
      return {
        type: "tool",
        place: completed.length + arrived.length + 1,
        of: completed.length + pending.length,
        name: first.name,
        sideBySide: running.length,
        since,
      };
    }
    case "awaiting-approval": {
      const { callId, expiresAt } = state.request;
      const call = state.pending.find(({ id }) => id === callId) ?? state.pending[0];
      return { type: "approval", name: call.name, expiresAt };
    }
    case "awaiting-answer":
      return { type: "question", count: state.questions.length };
    case "awaiting-sub-agents":
      return { type: "agents", ...counted(state.agents), since };
    case "cancelling-sub-agents": {
      const { done, of } = counted(state.agents);
      return { type: "cancelling-agents", left: of - done };
    }
    case "context-exhausted":
      return { type: "exhausted" };
    case "completed":
      return { type: "completed", success: state.success };
    case "failed":
      return { type: "failed", message: state.message };
    case "cancelling":
      return { type: "cancelling", reason: state.reason };
    case "error":
      return { type: "error", detail: state.detail, message: state.message };
    default:
      return unreachable(state);
  }
}

/** What is said of a request that is for no reply. */
function askedFor({ asking, compaction }: TurnProgress): ShownState | null {
  switch (asking) {
    case "compaction":
      return { type: "compacting", messages: compaction?.messages ?? 0 };
    case "summary":
    case "wished-summary":
      return { type: "summing-up" };
    case "last-words":
      return { type: "last-words" };
    case "reply":
    case "submission":
      return null;
    default:
      return unreachable(asking);
  }
}

function counted(agents: readonly SubAgent[]): { readonly done: number; readonly of: number } {
  return { done: agents.filter(({ outcome }) => outcome !== null).length, of: agents.length };
}

/** Whether a run is at work, so that it can be cancelled. */
export function isActive(run: Pick<RunHead, "state">): boolean {
  return !isSettled(run.state);
}

/** How long something has lasted, from the second second on. */
function elapsed(milliseconds: number): string {
  const whole = Math.floor(milliseconds / 1000);
  if (whole < 2) return "";
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  return minutes === 0 ? `${whole} s` : `${minutes} min ${rest} s`;
}

/** How many edits and commands wait for the server. */
export function waitingWords(count: number): string {
  return count === 1 ? "1 edit waiting" : `${count} edits waiting`;
}

function unsent(count: number): string {
  return count === 0 ? "" : waitingWords(count);
}

function seconds(milliseconds: number): string {
  const left = Math.max(0, milliseconds) / 1000;
  return left >= 10 ? `${Math.round(left)} s` : `${left.toFixed(left >= 3 ? 0 : 1)} s`;
}

function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}
