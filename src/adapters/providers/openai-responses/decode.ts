import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import type { Decoded } from "../shared/codec.ts";
import { grown, learnedFrom, matchTemplate } from "../shared/delta-template.ts";
import { brokenOff, failureOfEvent, isErrorBody, networkFailure, notJson } from "../shared/errors.ts";
import { failReply } from "../shared/failed-reply.ts";
import { listAt, numberAt, objectAt, parseJson, textAt } from "../shared/json-read.ts";
import { responseStarted } from "../shared/response-started.ts";
import type { SseEvent } from "../shared/sse.ts";
import { kindOf, settled, startState, type DecodeState } from "./decode-state.ts";
import { callGrew, callSaid, itemAdded, partGrew, partSaid, reasoningGrew } from "./growing-item.ts";
import { itemDone } from "./whole-item.ts";

/** Reads one event of a streamed reply. Ignores unknown events and fields. */
export function decodeChunk(state: DecodeState, event: SseEvent): Decoded<DecodeState> {
  if (state.ended) return { state, parts: [] };
  const { template, tail } = state;
  const text = template === undefined ? undefined : matchTemplate(template, event);
  if (template !== undefined && text !== undefined) {
    return { state: { ...state, tail: (tail ?? "") + text }, parts: grown(template, text) };
  }
  if (isPassedOver(state, event)) return { state, parts: [] };
  return readEvent(settled(state), event);
}

/** Whether an event's name shows that it adds nothing, because other events repeat its content. */
function isPassedOver({ responded }: DecodeState, { event = "" }: SseEvent): boolean {
  if (event === "response.in_progress" || event === "response.queued") return responded;
  return /^response\.(?:content_part|reasoning_summary_part|code_interpreter_call|web_search_call|file_search_call)/.test(
    event,
  );
}

/** A text delta that only extends its item teaches the form of the next event; any other event ends the learning. */
function learning(
  before: DecodeState,
  event: SseEvent,
  decoded: Decoded<DecodeState>,
  body: unknown,
): Decoded<DecodeState> {
  const learned = learnedFrom(before, event, decoded.parts) ?? { template: undefined, misses: before.misses };
  const place = { at: numberAt(body, "output_index") ?? 0, part: numberAt(body, "content_index") ?? 0 };
  const growing = learned.template === undefined ? undefined : place;
  return { state: { ...decoded.state, ...learned, growing }, parts: decoded.parts };
}

function readEvent(state: DecodeState, event: SseEvent): Decoded<DecodeState> {
  // Some servers send this after the end and some without one: it decides nothing.
  if (event.data.trim() === "[DONE]") return { state, parts: [] };
  const body = parseJson(event.data);
  if (body === undefined)
    return failReply(state, event.event === "error" ? failureOfEvent({ message: event.data }) : notJson);
  const type = textAt(body, "type") ?? event.event ?? "";
  if (type === "error" || isErrorBody(body)) return failReply(state, failureOfEvent(body));
  return learning(state, event, readBody(state, type, body), body);
}

function readBody(state: DecodeState, type: string, body: unknown): Decoded<DecodeState> {
  const at = numberAt(body, "output_index") ?? 0;
  const delta = textAt(body, "delta") ?? "";
  switch (type) {
    case "response.created":
    case "response.in_progress":
    case "response.queued":
      return responded(state, objectAt(body, "response"));
    case "response.output_item.added":
      return itemAdded(state, at, objectAt(body, "item") ?? {});
    case "response.output_text.delta":
      return partGrew(state, at, { part: numberAt(body, "content_index") ?? 0, type: "text", text: delta });
    case "response.refusal.delta":
      return partGrew(state, at, { part: numberAt(body, "content_index") ?? 0, type: "refusal", text: delta });
    case "response.reasoning_summary_text.delta":
      return reasoningGrew(state, at, { part: `summary ${numberAt(body, "summary_index") ?? 0}`, text: delta });
    case "response.reasoning_text.delta":
      return reasoningGrew(state, at, { part: `content ${numberAt(body, "content_index") ?? 0}`, text: delta });
    case "response.function_call_arguments.delta":
      return callGrew(state, at, textAt(body, "delta"));
    case "response.output_text.done":
      return partSaid(state, at, { part: numberAt(body, "content_index") ?? 0, text: textAt(body, "text") ?? "" });
    case "response.function_call_arguments.done":
      return callSaid(state, at, textAt(body, "arguments") ?? "");
    case "response.output_item.done":
      return itemDone(state, at, objectAt(body, "item") ?? {});
    case "response.completed":
    case "response.incomplete":
    case "response.failed":
      return finish(state, objectAt(body, "response") ?? {}, type.slice("response.".length));
    default:
      return { state, parts: [] };
  }
}

/** Ends the stream. The format marks the end of a reply; a stream without that mark was cut off. */
export function decodeEnd(state: DecodeState): readonly StreamPart[] {
  return state.ended ? [] : [{ type: "failed", failure: brokenOff }];
}

/** Reads a reply that came as one JSON body. */
export function decodeReply(body: unknown): readonly StreamPart[] {
  if (!isJsonObject(body) || !Array.isArray(body["output"])) {
    const failure = isErrorBody(body)
      ? failureOfEvent(body)
      : networkFailure("The provider's answer is not a reply of the Responses format.");
    return [{ type: "failed", failure }];
  }
  const begun = responded(startState, body);
  return [...begun.parts, ...finish(begun.state, body, textAt(body, "status") ?? "completed").parts];
}

function responded(state: DecodeState, response: JsonObject | undefined): Decoded<DecodeState> {
  if (state.responded) return { state, parts: [] };
  const id = textAt(response, "id");
  const model = textAt(response, "model");
  return {
    state: { ...state, responded: true, model, customTools: customToolsIn(response) },
    parts: [responseStarted({ id, model })],
  };
}

/** The names of the client's tools with plain-text input, as the server repeats them. */
function customToolsIn(response: JsonObject | undefined): ReadonlySet<string> | undefined {
  const tools = listAt(response, "tools").flatMap((tool) => [tool, ...listAt(tool, "tools")]);
  if (tools.length === 0) return undefined;
  return new Set(tools.flatMap((tool) => (textAt(tool, "type") === "custom" ? [textAt(tool, "name") ?? ""] : [])));
}

function finish(state: DecodeState, response: JsonObject, status: string): Decoded<DecodeState> {
  const begun = responded({ ...state, usage: readUsage(objectAt(response, "usage")) }, response);
  if (status === "failed" || status === "cancelled" || status === "queued" || status === "in_progress") {
    const failed = failReply(begun.state, failureOf(response, status));
    return { state: failed.state, parts: [...begun.parts, ...failed.parts] };
  }
  const closed = closeItems(begun.state, response, status);
  const reason = stopReason(closed.state, textAt(objectAt(response, "incomplete_details"), "reason"));
  return {
    state: { ...closed.state, ended: true },
    parts: [...begun.parts, ...closed.parts, { type: "finished", reason, usage: closed.state.usage }],
  };
}

/** The end event carries the whole reply; anything that the pieces lacked is taken from there. */
function closeItems(state: DecodeState, response: JsonObject, status: string): Decoded<DecodeState> {
  const parts: StreamPart[] = [];
  let current = state;
  const close = (at: number, item: JsonObject): void => {
    // A call in a reply that was cut off may be incomplete and must not run.
    if (
      status === "incomplete" &&
      /^(?:function|custom_tool)_call$/.test(textAt(item, "type") ?? "") &&
      item["status"] !== "completed"
    )
      return;
    const done = itemDone(current, at, item);
    current = done.state;
    parts.push(...done.parts);
  };
  const places = placesOf(state, listAt(response, "output"));
  for (const [place, item] of listAt(response, "output").entries()) {
    const at = places[place] ?? place;
    const open = current.items.get(at);
    if (isJsonObject(item) && (open === undefined || open.type === "unread" || kindOf(open) === textAt(item, "type")))
      close(at, item);
  }
  // Servers that send no whole form of an item leave it open.
  for (const [at, open] of current.items) {
    const type = kindOf(open);
    if (type !== undefined) close(at, { type });
  }
  return { state: current, parts };
}

/**
 * The positions of the items of the whole reply: by their ids, else by their order, because some servers leave out positions
 * and some change ids on the way.
 */
function placesOf({ items, placesById }: DecodeState, output: readonly unknown[]): readonly number[] {
  const known = [...items.keys()].toSorted((a, b) => a - b);
  const behind = Math.max(-1, ...known) + 1;
  return output.map((item, place) => placesById.get(textAt(item, "id") ?? "") ?? known[place] ?? behind + place);
}

function failureOf(response: JsonObject, status: string): ModelFailure {
  const error = objectAt(response, "error");
  if (error !== undefined) return failureOfEvent({ error });
  if (status === "queued") return inBackground;
  return networkFailure(`The provider left the reply unfinished (${status}).`);
}

/** Another request would start another job, which costs as much again. */
const inBackground: ModelFailure = {
  class: "invalid-request",
  message:
    "The provider queued the request in the background, where its reply cannot be read. The request was not repeated; send it without `background`.",
  retryable: false,
};

function stopReason(state: DecodeState, incomplete: string | undefined): StopReason {
  switch (incomplete) {
    case undefined:
      return state.calledTools ? "tool-use" : state.refused ? "refusal" : "end-turn";
    case "max_output_tokens":
      return "max-tokens";
    case "content_filter":
      return "content-filter";
    default:
      return "other";
  }
}

function readUsage(usage: JsonObject | undefined): Usage {
  return {
    inputTokens: numberAt(usage, "input_tokens") ?? 0,
    outputTokens: numberAt(usage, "output_tokens") ?? 0,
    cachedInputTokens: numberAt(objectAt(usage, "input_tokens_details"), "cached_tokens") ?? 0,
    thinkingTokens: numberAt(objectAt(usage, "output_tokens_details"), "reasoning_tokens") ?? 0,
  };
}
