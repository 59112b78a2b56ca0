import { unreachable } from "../../../core/base/assert.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { traitsOf } from "../../../core/block/kinds.ts";
import type { ToolMessage, ToolOutcome } from "../../../core/message/types.ts";
import type { FailureClass } from "../../../core/model/failure.ts";
import { isTextBlock } from "../../../core/message/guards.ts";
import { attemptsMax } from "../../../core/turn/step/retry.ts";
import type { TurnProgress, TurnState } from "../../../core/turn/state/state.ts";
import type { SubAgent } from "../../../core/turn/state/sub-agent.ts";
import type { ConnectionState, RunView } from "../../../client/base/types.ts";
import { clipped } from "./cell-width.ts";
import { safeLine } from "../base/safe-text.ts";

/** Returns the label of a run's state, in the words of the app. A state without a label does not compile. */
export function stateLabel({ state, queued, liveBlocks }: RunView, now: number): string {
  switch (state.type) {
    case "idle":
      return queued ? "Queued · starts when the agent is free" : "Ready";
    case "awaiting":
      return joined("Waiting for the model", requestPurpose(state.progress));
    case "requesting": {
      if (state.retryAt !== null) return retryLabel(state.attempt, state.retryAt - now, state.lastFailure);
      const last = liveBlocks.at(-1)?.header;
      const shownAs = last === undefined ? null : traitsOf(last.kind).shownAs;
      if (shownAs === "thinking") return "Thinking";
      if (shownAs === "tool-call") return joined("Writing a call", toolNamed(last?.metadata));
      if (shownAs === "markdown") return joined("Writing", requestPurpose(state.progress));
      return joined(
        "Requesting",
        state.attempt > 1 ? `attempt ${state.attempt} of ${attemptsMax}` : "",
        requestPurpose(state.progress),
      );
    }
    case "running-tools": {
      const of = state.completed.length + state.pending.length;
      const running = state.pending.filter(({ id }) => state.running.includes(id));
      const [first = state.pending[0]] = running;
      const place = state.completed.length + state.pending.indexOf(first) + 1;
      const others = running.length > 1 ? ` and ${running.length - 1} more` : "";
      return `Tool ${place} of ${of}: ${callSummary(first, 60)}${others}`;
    }
    case "awaiting-approval":
      return `Awaiting approval: ${nameOf(state, state.request.callId)}`;
    case "awaiting-answer":
      return state.questions.length === 1
        ? "Awaiting your answer"
        : `Awaiting your answers · ${state.questions.length} questions`;
    case "awaiting-sub-agents":
      return subAgentsLabel(state.agents);
    case "cancelling":
      return state.reason === "control-taken" ? "Taking control…" : "Cancelling…";
    case "cancelling-sub-agents":
      return joined("Cancelling…", subAgentsLabel(state.agents));
    case "error":
      return `Error · ${failureWords[state.detail].happened}`;
    case "context-exhausted":
      return "Summed up · /continue goes on in a new branch";
    case "completed":
      return "Completed";
    case "failed":
      return `Failed · ${state.reason}`;
    default:
      return unreachable(state);
  }
}

function retryLabel(attempt: number, leftMs: number, lastFailure: string | null): string {
  const why = lastFailure === null ? "" : clipped(safeLine(lastFailure), 60);
  return joined("Requesting", `attempt ${attempt} of ${attemptsMax}`, `again in ${seconds(leftMs)}`, why);
}

function requestPurpose({ asking }: TurnProgress): string {
  switch (asking) {
    case "reply":
      return "";
    case "last-words":
      return "last words, without tools";
    case "submission":
      return "to submit its result";
    case "summary":
    case "wished-summary":
      return "a summary";
    case "compaction":
      return "a summary of earlier messages";
    default:
      return unreachable(asking);
  }
}

function subAgentsLabel(agents: readonly SubAgent[]): string {
  const done = agents.filter(({ outcome }) => outcome !== null).length;
  return `Sub-agents ${done} of ${agents.length} done`;
}

function nameOf(state: Extract<TurnState, { readonly pending: unknown }>, callId: string): string {
  return safeLine(state.pending.find(({ id }) => id === callId)?.name ?? "a call");
}

function toolNamed(metadata: JsonObject | undefined): string {
  const name = metadata?.["tool_name"];
  return typeof name === "string" ? safeLine(name) : "";
}

/** Whether a state's label changes with the clock, or its duration is worth showing. */
export function isTimed(state: TurnState): boolean {
  return state.type !== "idle" && state.type !== "error" && state.type !== "context-exhausted";
}

/** Returns the connection's label; null while it is live. */
export function connectionLabel(state: ConnectionState, now: number): string | null {
  switch (state.type) {
    case "connecting":
      return "Connecting…";
    case "live":
      return null;
    case "reconnecting":
      return joined(`Reconnecting in ${seconds(state.retryAt - now)}`, unsent(state.unsent));
    case "offline":
      return joined("Offline", `trying again in ${seconds(state.retryAt - now)}`, unsent(state.unsent));
    case "refused":
      return "Refused";
    default:
      return unreachable(state);
  }
}

function unsent(count: number): string {
  return count === 0 ? "" : `${count} unsent`;
}

/** What people read where a reply ended at its token limit. */
export const cutWords = "The reply was cut off at its token limit.";

export const filteredWords =
  "The provider’s filter stopped the reply before its end. Ask in other words, or choose another model.";

/** Formats a time for people: `3.2 s`, `1 min 4 s`. */
export function seconds(milliseconds: number): string {
  const left = Math.max(0, milliseconds) / 1000;
  if (left < 10) return `${left.toFixed(1)} s`;
  if (left < 60) return `${Math.round(left)} s`;
  const minutes = Math.floor(left / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(left % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns a call on one line: its name, and its most telling arguments. */
export function callSummary(
  { name, parameters }: { readonly name: string; readonly parameters: JsonObject },
  cellsMax: number,
): string {
  const entries = Object.entries(parameters).filter(([key, value]) => !quiet.has(key) && value !== null);
  const shown = entries.map(([key, value]) => {
    if (key === "patch" && typeof value === "string") return patchSize(value);
    if (Array.isArray(value) && value.some((each) => typeof each === "object")) return `${value.length} ${key}`;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return entries.length === 1 || telling.has(key) ? text : `${key}=${text}`;
  });
  return clipped(safeLine([name, ...shown].join(" ")), cellsMax);
}

/** Returns how many lines a diff adds and removes. */
function patchSize(patch: string): string {
  const lines = patch.split("\n");
  const added = lines.filter((line) => line.startsWith("+") && !line.startsWith("+++")).length;
  const removed = lines.filter((line) => line.startsWith("-") && !line.startsWith("---")).length;
  return `+${added} −${removed}`;
}

/** Arguments that are clear without their names. */
const telling = new Set(["command", "path", "query", "title", "question", "thoughts", "tasks"]);
/** Arguments that tell people nothing. */
const quiet = new Set(["lease_id", "base_revision_id"]);

const outcomes: Record<ToolOutcome, string> = {
  ok: "done",
  error: "failed",
  cancelled: "cancelled",
  skipped: "skipped",
  denied: "not allowed",
  unknown: "outcome unknown",
};

/** Returns how a call ended, on one line: the outcome, its duration, and the first words of the result. */
export function resultSummary(
  result: ToolMessage,
  {
    tookMs,
    withText,
    cellsMax,
  }: { readonly tookMs: number | null; readonly withText: boolean; readonly cellsMax: number },
): string {
  const took = tookMs === null || tookMs < worthTellingMs ? "" : seconds(tookMs);
  return clipped(joined(outcomes[result.outcome], took, withText ? resultWords(result) : ""), cellsMax);
}

/** The duration of a call is shown from this length on. Milliseconds. */
const worthTellingMs = 500;

/**
 * Returns what a person wants to know of a result: the reason of a refusal, nothing of JSON for models, the beginning of a
 * text.
 */
function resultWords(result: ToolMessage): string {
  const text = resultText(result).slice(0, 4_000);
  if (!text.startsWith("{")) return safeLine(text);
  if (result.outcome === "ok") return "";
  const code = /"code":"([A-Z_]+)"/u.exec(text)?.[1] ?? "";
  const message = /"message":"((?:[^"\\]|\\.)*)"/u.exec(text)?.[1] ?? "";
  return safeLine(joined(code, message));
}

/** Returns the text of a result, as the model reads it. */
export function resultText({ content }: ToolMessage): string {
  return content.map((block) => (isTextBlock(block) ? block.text : `[${block.type}]`)).join("\n");
}

/** A problem in three parts: what happened, what is safe, what to do. */
export interface ThreeParts {
  readonly happened: string;
  readonly safe: string;
  readonly todo: string;
}

const kept = "Your message and everything before it are kept.";

/** The words for each class of failure, for a person at a terminal. */
export const failureWords: Record<FailureClass, ThreeParts> = {
  auth: {
    happened: "The provider refused the key",
    safe: kept,
    todo: "Check the key (heddle doctor), then /retry; or choose another model with /model.",
  },
  quota: {
    happened: "The provider’s quota is used up",
    safe: kept,
    todo: "Check the plan with the provider, or choose another model with /model, then /retry.",
  },
  "rate-limit": {
    happened: "The provider asks to slow down",
    safe: kept,
    todo: "Wait a little, then /retry; or choose another model with /model.",
  },
  overloaded: {
    happened: "The provider is overloaded",
    safe: kept,
    todo: "Wait a little, then /retry; or choose another model with /model.",
  },
  network: {
    happened: "No complete answer came from the provider",
    safe: kept,
    todo: "/retry asks again. If it happens again, check the connection and the provider’s address (heddle doctor).",
  },
  "context-full": {
    happened: "The conversation leaves no room for a reply",
    safe: kept,
    todo: "Leave messages out with /exclude, sum earlier ones up with /compact, or choose a model with a larger window with /model.",
  },
  "context-length": {
    happened: "The conversation is too long for this model",
    safe: kept,
    todo: "Leave messages out with /exclude, sum earlier ones up with /compact, or choose a model with a larger window with /model.",
  },
  transcript: {
    happened: "The provider did not accept the history",
    safe: kept,
    todo: "Choose another model with /model, or go back to an earlier message with /fork.",
  },
  "invalid-request": {
    happened: "The provider did not accept the request",
    safe: kept,
    todo: "Check the model’s name (/model), then /retry.",
  },
  "content-filter": {
    happened: "The provider’s filter stopped the request",
    safe: kept,
    todo: "Say it in other words (/fork takes you back before your message), or choose another model with /model.",
  },
  cancelled: { happened: "The request was broken off", safe: kept, todo: "/retry asks again." },
  budget: {
    happened: "A budget is used up",
    safe: kept,
    todo: "/usage says what this conversation took. Raise the budget in the app’s settings, or ask an owner of the team, then /retry.",
  },
  unknown: { happened: "The provider failed", safe: kept, todo: "/retry asks again, /model chooses another model." },
};

export function isFailureClass(code: string): code is FailureClass {
  return Object.hasOwn(failureWords, code);
}

export function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}
