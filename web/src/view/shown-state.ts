import type { ConnectionState, RunView } from "../../../src/client/types.ts";
import { unreachable } from "../../../src/core/base/assert.ts";
import type { FailureClass } from "../../../src/core/model/failure.ts";
import { attemptsMax } from "../../../src/core/turn/retry.ts";
import type { CancelReason } from "../../../src/core/turn/state.ts";

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
  | { readonly type: "requesting"; readonly attempt: number }
  | {
      readonly type: "retrying";
      readonly attempt: number;
      readonly retryAt: number;
      readonly lastFailure: string | null;
    }
  | { readonly type: "thinking" }
  | { readonly type: "streaming"; readonly charactersPerSecond: number | null }
  | { readonly type: "tool"; readonly place: number; readonly of: number; readonly name: string }
  | { readonly type: "cancelling"; readonly reason: CancelReason }
  | { readonly type: "cancelled" }
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
  requesting: (state) => ({
    label: state.attempt > 1 ? `Requesting · attempt ${state.attempt} of ${attemptsMax}` : "Requesting",
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
    announcement: "The request failed; trying again.",
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
  tool: (state) => ({
    label: state.of > 1 ? `Tool ${state.place} of ${state.of}: ${state.name}` : `Tool: ${state.name}`,
    tone: "working",
    announcement: `Running ${state.name.replaceAll("_", " ")}.`,
  }),
  cancelling: ({ reason }) =>
    reason === "control-taken"
      ? { label: "Taking control…", tone: "waiting", announcement: "Taking control." }
      : { label: "Cancelling…", tone: "waiting", announcement: "Cancelling." },
  cancelled: () => ({ label: "Cancelled · what was written is kept", tone: "quiet", announcement: "Cancelled." }),
  error: (state) => ({ label: errorTitle(state), tone: "bad", announcement: `${errorTitle(state)}.` }),
};

interface FailureWords {
  readonly title: string;
  /** What a person can do about it, besides the buttons. */
  readonly advice: string;
}

const failures: Record<FailureClass, FailureWords> = {
  auth: {
    title: "The provider refused the key",
    advice: "Check the key in the settings, or where the server was given it, or switch to another model.",
  },
  quota: {
    title: "The provider’s quota is used up",
    advice: "Check the plan and the billing with the provider, or switch to another model.",
  },
  "rate-limit": {
    title: "The provider asks to slow down",
    advice: "Wait a little and retry, or switch to another model.",
  },
  overloaded: {
    title: "The provider is overloaded",
    advice: "Wait a little and retry, or switch to another model.",
  },
  network: {
    title: "No complete answer came from the provider",
    advice: "Retry; if it happens again, check the connection and the provider’s address, or switch to another model.",
  },
  "context-length": {
    title: "The conversation is too long for this model",
    advice: "Switch to a model with a larger context, or begin a new conversation beside the same canvas.",
  },
  transcript: {
    title: "The provider did not accept the history",
    advice: "Switch to another model, or edit an earlier message and send it again.",
  },
  "invalid-request": {
    title: "The provider did not accept the request",
    advice: "Check the model’s name and address, switch to another model, or edit the message and send it again.",
  },
  "content-filter": {
    title: "The provider’s filter stopped the request",
    advice: "Edit the message and send it again, or switch to another model.",
  },
  cancelled: { title: "The request was broken off", advice: "Retry, or switch to another model." },
  unknown: {
    title: "The provider failed",
    advice: "Retry, or switch to another model. The details have the provider’s own words.",
  },
};

/** What happened, in a few words. */
export function errorTitle(failure: { readonly detail: FailureClass }): string {
  return failures[failure.detail].title;
}

/** What a person can do about a failure, besides the buttons. */
export function errorAdvice(failure: { readonly detail: FailureClass }): string {
  return failures[failure.detail].advice;
}

export function describeState(state: ShownState, now: number): StateWords {
  // The table is indexed by the state's own type, which TypeScript cannot follow through a union.
  const words = vocabulary[state.type] as (state: ShownState, now: number) => StateWords;
  return words(state, now);
}

/** Whether a state's words change by the clock alone. */
export function countsDown(state: ShownState): boolean {
  return state.type === "offline" || state.type === "reconnecting" || state.type === "retrying";
}

export interface Situation {
  readonly connection: ConnectionState;
  readonly now: number;
  readonly run: RunView | null;
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
  const { state } = run;
  switch (state.type) {
    case "idle":
      if (run.queued) return { type: "queued" };
      return interrupted ? { type: "cancelled" } : { type: "idle" };
    case "awaiting":
      return { type: "waiting" };
    case "requesting": {
      if (state.retryAt !== null) {
        return { type: "retrying", attempt: state.attempt, retryAt: state.retryAt, lastFailure: state.lastFailure };
      }
      const last = run.liveBlocks.at(-1);
      if (last === undefined) return { type: "requesting", attempt: state.attempt };
      return last.header.kind === "thinking" ? { type: "thinking" } : { type: "streaming", charactersPerSecond };
    }
    case "running-tools": {
      const place = state.completed.length + 1;
      return { type: "tool", place, of: state.completed.length + state.pending.length, name: state.pending[0].name };
    }
    case "cancelling":
      return { type: "cancelling", reason: state.reason };
    case "error":
      return { type: "error", detail: state.detail, message: state.message };
    default:
      return unreachable(state);
  }
}

/** Whether a run is at work, so that it can be cancelled. */
export function isActive(run: RunView): boolean {
  return run.state.type !== "idle" && run.state.type !== "error";
}

function unsent(count: number): string {
  return count === 0 ? "" : `${count} unsent`;
}

function seconds(milliseconds: number): string {
  const left = Math.max(0, milliseconds) / 1000;
  return left >= 10 ? `${Math.round(left)} s` : `${left.toFixed(left >= 3 ? 0 : 1)} s`;
}

function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}
