import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import type { Decoded } from "../shared/codec.ts";
import { byTemplate } from "../shared/delta-template.ts";
import { brokenOff, failureOfEvent, isErrorBody, networkFailure, notJson } from "../shared/errors.ts";
import { failReply } from "../shared/failed-reply.ts";
import { listAt, numberAt, objectAt, parseJson, textAt } from "../shared/json-read.ts";
import { responseStarted } from "../shared/response-started.ts";
import type { SseEvent } from "../shared/sse.ts";
import { type DecodeState, startState } from "./decode-state.ts";
import { stepEnded, stepGrew, stepStarted } from "./growing-step.ts";

/** Reads one event of a streamed reply. Ignores unknown events and fields. */
export function decodeChunk(state: DecodeState, event: SseEvent): Decoded<DecodeState> {
  return state.ended ? { state, parts: [] } : byTemplate(state, event, readEvent);
}

function readEvent(state: DecodeState, event: SseEvent): Decoded<DecodeState> {
  // Some servers close with this, after the event that decides.
  if (event.data.trim() === "[DONE]") return { state, parts: [] };
  const body = parseJson(event.data);
  if (body === undefined)
    return failReply(state, event.event === "error" ? failureOfEvent({ message: event.data }) : notJson);
  const type = textAt(body, "event_type") ?? event.event ?? "";
  if (type === "error" || isErrorBody(body)) return failReply(state, failureOfEvent(body));
  const at = numberAt(body, "index");
  switch (type) {
    case "interaction.created":
      return responded(state, objectAt(body, "interaction"));
    case "step.start":
    case "step.delta":
    case "step.stop":
      return at === undefined ? failReply(state, outOfOrder) : readStep(state, type, at, body);
    case "interaction.completed":
      return finish(state, objectAt(body, "interaction") ?? {});
    default:
      return { state, parts: [] };
  }
}

/** Pieces without their step, or steps without their number, mean that something was lost: nothing of the reply may run. */
const outOfOrder: ModelFailure = networkFailure("The provider's stream is out of order; a piece of it may be lost.");

function readStep(state: DecodeState, type: string, at: number, body: unknown): Decoded<DecodeState> {
  switch (type) {
    case "step.start":
      return stepStarted(state, at, objectAt(body, "step") ?? {});
    case "step.delta":
      return stepGrew(state, at, objectAt(body, "delta") ?? {}) ?? failReply(state, outOfOrder);
    default:
      return stepEnded(state, at);
  }
}

/** Ends the stream. The format marks the end of a reply; a stream without that mark was cut off. */
export function decodeEnd(state: DecodeState): readonly StreamPart[] {
  return state.ended ? [] : [{ type: "failed", failure: brokenOff }];
}

/** Reads a reply that came as one JSON body. */
export function decodeReply(body: unknown): readonly StreamPart[] {
  if (!isJsonObject(body) || textAt(body, "status") === undefined || isErrorBody(body)) {
    const failure = isErrorBody(body)
      ? failureOfEvent(body)
      : networkFailure("The provider's answer is not a reply of the Interactions format.");
    return [{ type: "failed", failure }];
  }
  const begun = responded(startState, body);
  const parts = [...begun.parts];
  let { state } = begun;
  for (const [at, step] of listAt(body, "steps").entries()) {
    // The history that a server repeats is no reply.
    if (!isJsonObject(step) || textAt(step, "type") === "user_input") continue;
    const started = stepStarted(state, at, step);
    const ended = stepEnded(started.state, at);
    state = ended.state;
    parts.push(...started.parts, ...ended.parts);
  }
  return [...parts, ...finish(state, body).parts];
}

function responded(state: DecodeState, interaction: JsonObject | undefined): Decoded<DecodeState> {
  if (state.responded) return { state, parts: [] };
  const id = textAt(interaction, "id");
  const model = textAt(interaction, "model");
  // Nothing is stored at the provider, which then names no interaction.
  const named = id === "" ? undefined : id;
  return { state: { ...state, responded: true, model }, parts: [responseStarted({ id: named, model })] };
}

function finish(state: DecodeState, interaction: JsonObject): Decoded<DecodeState> {
  const usage = readUsage(objectAt(interaction, "usage"));
  const begun = responded({ ...state, usage }, interaction);
  const status = textAt(interaction, "status") ?? "";
  const failure = failureOf(interaction, status);
  if (failure !== undefined) {
    const failed = failReply(begun.state, failure);
    return { state: failed.state, parts: [...begun.parts, ...failed.parts] };
  }
  const parts = [...begun.parts];
  let current = begun.state;
  for (const at of begun.state.steps.keys()) {
    const ended = stepEnded(current, at, true);
    current = ended.state;
    parts.push(...ended.parts);
  }
  parts.push({ type: "finished", reason: stopReason(current, status), usage });
  return { state: { ...current, ended: true }, parts };
}

function failureOf(interaction: JsonObject, status: string): ModelFailure | undefined {
  switch (status) {
    case "completed":
    case "requires_action":
    case "requires_continuation":
    case "incomplete":
      return undefined;
    case "budget_exceeded":
      return { class: "quota", message: "The provider's budget for the reply is used up.", retryable: false };
    case "queued":
    case "in_progress":
      return inBackground;
    default: {
      const [error] = listAt(interaction, "errors");
      return isJsonObject(error)
        ? failureOfEvent({ error })
        : networkFailure(`The provider left the reply unfinished (${status === "" ? "no status" : status}).`);
    }
  }
}

/** Another request would start another job, which costs as much again. */
const inBackground: ModelFailure = {
  class: "invalid-request",
  message:
    "The provider runs the request in the background, where its reply cannot be read. The request was not repeated; send it without `background`.",
  retryable: false,
};

function stopReason({ calledTools, filtered }: DecodeState, status: string): StopReason {
  if (status === "incomplete") return "max-tokens";
  if (status === "requires_continuation") return "other";
  return calledTools ? "tool-use" : filtered ? "content-filter" : "end-turn";
}

/** Thinking is counted beside the answer, and the input of server tools beside the prompt. */
function readUsage(usage: JsonObject | undefined): Usage {
  const thought = numberAt(usage, "total_thought_tokens") ?? 0;
  return {
    inputTokens: (numberAt(usage, "total_input_tokens") ?? 0) + (numberAt(usage, "total_tool_use_tokens") ?? 0),
    outputTokens: (numberAt(usage, "total_output_tokens") ?? 0) + thought,
    cachedInputTokens: numberAt(usage, "total_cached_tokens") ?? 0,
    thinkingTokens: thought,
  };
}
