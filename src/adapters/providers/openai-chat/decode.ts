import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import { callEnded, callGrown } from "../shared/call-parts.ts";
import type { Decoded } from "../shared/codec.ts";
import { brokenOff, failureOfEvent, isErrorBody, networkFailure, notJson } from "../shared/errors.ts";
import { failReply } from "../shared/failed-reply.ts";
import { byTemplate } from "../shared/delta-template.ts";
import { listAt, numberAt, objectAt, parseJson, textAt } from "../shared/json-read.ts";
import { nativeOf } from "../shared/native.ts";
import { responseStarted } from "../shared/response-started.ts";
import type { SseEvent } from "../shared/sse.ts";
import { chatApi } from "./api.ts";
import {
  closed,
  closing,
  type DecodeState,
  openDetails,
  sourceOf,
  startState,
  withBrokenCalls,
  wordsKey,
} from "./decode-state.ts";
import { callTool } from "./growing-call.ts";
import { readFields, withRest } from "./message-fields.ts";
import { thoughtOf, thoughtPart } from "./thinking.ts";

/** Reads one event of a streamed reply. Reads only the first of several choices and ignores unknown fields. */
export function decodeChunk(state: DecodeState, event: SseEvent): Decoded<DecodeState> {
  return state.ended ? { state, parts: [] } : byTemplate(state, event, readEvent);
}

function readEvent(state: DecodeState, event: SseEvent): Decoded<DecodeState> {
  if (event.data.trim() === "[DONE]") return finish(state);
  const body = parseJson(event.data);
  if (body === undefined) {
    if (event.event === "error") return failReply(state, failureOfEvent({ message: event.data }));
    return state.finishReason === undefined ? failReply(state, notJson) : finish(state);
  }
  if (event.event === "error" || isErrorBody(body)) return failReply(state, failureOfEvent(body));
  return readBody(state, body, "delta");
}

/** Ends the stream. A reply with a finish reason is complete even without `[DONE]`, which some servers never send. */
export function decodeEnd(state: DecodeState): readonly StreamPart[] {
  if (state.ended) return [];
  const isWhole = state.finishReason !== undefined || (state.mayJustStop && state.nextIndex > 0);
  return isWhole ? finish(state).parts : [{ type: "failed", failure: brokenOff }];
}

/** Reads a reply that came as one JSON body. */
export function decodeReply(body: unknown): readonly StreamPart[] {
  if (listAt(body, "choices").length === 0) {
    const failure = isErrorBody(body)
      ? failureOfEvent(body)
      : networkFailure("The provider's answer is not a reply of the Chat Completions format.");
    return [{ type: "failed", failure }];
  }
  const read = readBody(startState, body, "message");
  return read.state.ended ? read.parts : [...read.parts, ...finish(read.state).parts];
}

/** Calls in a whole message are identified by position alone, since two may have the same id. */
function numberedCalls(message: JsonObject): JsonObject {
  const calls = listAt(message, "tool_calls").filter(isJsonObject);
  return calls.length === 0 ? message : { ...message, tool_calls: calls.map((call, index) => ({ ...call, index })) };
}

function readBody(state: DecodeState, body: unknown, field: "delta" | "message"): Decoded<DecodeState> {
  const parts: StreamPart[] = [];
  const usage = readUsage(objectAt(body, "usage") ?? objectAt(objectAt(body, "x_groq"), "usage"), state.usage);
  let current = usage === state.usage ? state : { ...state, usage };
  const sources = sourcesIn(body);
  if (sources !== undefined) current = { ...current, sources: { ...current.sources, ...sources } };
  if (!current.responded) {
    const id = textAt(body, "id");
    const model = textAt(body, "model");
    parts.push(responseStarted({ id, model }));
    current = { ...current, responded: true, model };
  }
  const open = current.calls.length > 0 && current.finishReason === undefined;
  if (open && isJsonObject(body) && !Array.isArray(body["choices"]) && usage === state.usage)
    current = withBrokenCalls(current);
  for (const choice of listAt(body, "choices")) {
    if ((numberAt(choice, "index") ?? 0) !== 0) continue;
    if (isErrorBody(choice)) {
      const failed = failReply(current, failureOfEvent(choice));
      return { state: failed.state, parts: [...parts, ...failed.parts] };
    }
    const said = objectAt(choice, field);
    // Some servers stream an unstreamed reply as one whole message.
    const whole = said === undefined && current.nextIndex === 0 ? objectAt(choice, "message") : undefined;
    const isWhole = field === "message" || whole !== undefined;
    const delta = said ?? whole ?? {};
    const isBlank = said === undefined && whole === undefined && textAt(choice, "finish_reason") === undefined;
    // While a call grows, a piece that says nothing may be what is left of one of its own.
    if (open && (isBlank || (textAt(choice, "finish_reason") === undefined && saysNothing(delta))))
      current = withBrokenCalls(current);
    const read = readDelta(current, isWhole ? numberedCalls(delta) : delta);
    parts.push(...read.parts);
    const reason = textAt(choice, "finish_reason");
    current =
      reason === undefined || reason === "" || reason === read.state.finishReason
        ? read.state
        : { ...read.state, finishReason: reason };
  }
  return { state: current, parts };
}

function saysNothing(delta: JsonObject): boolean {
  return Object.entries(delta).every(([key, value]) => key === "role" || !readFields.has(key) || value === null);
}

function readDelta(state: DecodeState, delta: JsonObject): Decoded<DecodeState> {
  const parts: StreamPart[] = [];
  let current = state;
  const take = (read: Decoded<DecodeState>): void => {
    current = read.state;
    parts.push(...read.parts);
  };
  const { text: thought, details } = thoughtOf(delta);
  if (thought !== "" || details.length > 0) take(think(current, thought, details));
  const content = delta["content"];
  if (typeof content === "string") take(say(current, content));
  for (const item of listAt(delta, "content")) {
    const thinking = thoughtPart(item);
    take(thinking === undefined ? say(current, textAt(item, "text") ?? "") : think(current, thinking, []));
  }
  const annotations = listAt(delta, "annotations").filter(isJsonObject);
  if (annotations.length > 0) current = { ...current, annotations: [...current.annotations, ...annotations] };
  for (const image of listAt(delta, "images")) if (isJsonObject(image)) take(show(current, image));
  take(refuse(current, textAt(delta, "refusal") ?? ""));
  const listed = delta["tool_calls"] ?? [];
  if (!Array.isArray(listed)) current = withBrokenCalls(current);
  for (const call of listAt(delta, "tool_calls")) take(callTool(current, isJsonObject(call) ? call : {}));
  // The older form, with a single call per reply.
  const single = objectAt(delta, "function_call");
  if ((textAt(single, "name") ?? textAt(single, "arguments") ?? "") !== "")
    take(callTool(current, { index: 0, function: single ?? {}, type: "function_call" }));
  const audio = objectAt(delta, "audio");
  if (audio !== undefined) take(speak(current, audio));
  return { state: withRest(current, delta), parts };
}

/** Speech: its transcript is the text, and its id is what later requests name it by. */
function speak(state: DecodeState, audio: JsonObject): Decoded<DecodeState> {
  const id = textAt(audio, "id") ?? "";
  const named = id === "" ? state : { ...state, sources: { ...state.sources, audio: { id } } };
  return say(named, textAt(audio, "transcript") ?? "");
}

function say(state: DecodeState, text: string): Decoded<DecodeState> {
  if (text === "") return { state, parts: [] };
  if (state.open.type === "text") return { state, parts: [{ type: "text-delta", index: state.open.index, text }] };
  const index = state.nextIndex;
  return {
    state: { ...closed(state), nextIndex: index + 1, open: { type: "text", index } },
    parts: [...closing(state), { type: "text-start", index }, { type: "text-delta", index, text }],
  };
}

/** An image that the model drew; the format has no place to send it back. */
function show(state: DecodeState, image: JsonObject): Decoded<DecodeState> {
  const index = state.nextIndex;
  return {
    state: { ...closed(state), nextIndex: index + 1 },
    parts: [...closing(state), { type: "opaque", index, api: chatApi, raw: image }],
  };
}

/** Lists of sources that some servers repeat with every piece. */
function sourcesIn(body: unknown): JsonObject | undefined {
  const found = ["citations", "search_results"].flatMap((key): readonly [string, JsonObject[string]][] => {
    const list = isJsonObject(body) ? body[key] : undefined;
    return Array.isArray(list) && list.length > 0 ? [[key, list]] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function refuse(state: DecodeState, text: string): Decoded<DecodeState> {
  if (text === "") return { state, parts: [] };
  if (state.open.type === "refusal") return { state, parts: [{ type: "refusal", index: state.open.index, text }] };
  const index = state.nextIndex;
  return {
    state: { ...closed(state), nextIndex: index + 1, open: { type: "refusal", index }, refused: true },
    parts: [...closing(state), { type: "refusal", index, text }],
  };
}

function think(state: DecodeState, text: string, details: readonly JsonObject[]): Decoded<DecodeState> {
  const grown = (index: number): readonly StreamPart[] =>
    text === "" ? [] : [{ type: "thinking-delta", index, text }];
  const { open } = state;
  if (open.type === "thinking") {
    const [detail, ...more] = details;
    const { index } = open;
    if (detail === undefined) return { state, parts: grown(index) };
    const longer: DecodeState =
      more.length === 0 && onlyAddsText(open.details.at(-1), detail, text)
        ? { ...state, tail: (state.tail ?? "") + text }
        : { ...state, tail: undefined, open: { ...open, details: joinDetails(openDetails(state), details) } };
    return { state: longer, parts: grown(index) };
  }
  // An empty detail opens nothing.
  if (
    text === "" &&
    details.every((detail) => Object.keys(detail).every((key) => key !== "data" && key !== "signature"))
  ) {
    return { state, parts: [] };
  }
  const index = state.nextIndex;
  return {
    state: {
      ...closed(state),
      nextIndex: index + 1,
      open: { type: "thinking", index, details: joinDetails([], details) },
    },
    parts: [...closing(state), { type: "thinking-start", index }, ...grown(index)],
  };
}

/** Whether a detail only adds this text to the last one. */
function onlyAddsText(last: JsonObject | undefined, detail: JsonObject, text: string): boolean {
  const key = wordsKey(detail);
  if (last === undefined || detail[key] !== text || typeof last[key] !== "string") return false;
  if (last["type"] !== detail["type"] || last["index"] !== detail["index"]) return false;
  return Object.entries(detail).every(([name, value]) => name === key || value === null || value === last[name]);
}

/** Joins details: the texts of consecutive pieces of one detail join, and their other fields replace. */
function joinDetails(before: readonly JsonObject[], added: readonly JsonObject[]): readonly JsonObject[] {
  const joined = [...before];
  for (const detail of added) {
    const last = joined.at(-1);
    if (last === undefined || last["type"] !== detail["type"] || last["index"] !== detail["index"]) {
      joined.push(detail);
      continue;
    }
    const merged: Record<string, JsonObject[string]> = { ...last };
    for (const [key, value] of Object.entries(detail)) {
      const earlier = last[key];
      const grows =
        (key === "text" || key === "summary" || key === "data") &&
        typeof earlier === "string" &&
        typeof value === "string";
      if (grows) merged[key] = earlier + value;
      else if (value !== null) merged[key] = value;
    }
    joined[joined.length - 1] = merged;
  }
  return joined;
}

function finish(given: DecodeState): Decoded<DecodeState> {
  // Arguments of a call that was never named belong to one that was.
  const state = given.calls.some(({ started, early }) => started === undefined && early !== "")
    ? withBrokenCalls(given)
    : given;
  if (state.finishReason === "error")
    return failReply(state, networkFailure("The provider stopped the reply because of an error."));
  const calls = state.calls.flatMap(({ started, input, extras, isBroken }) =>
    started === undefined
      ? []
      : [
          ...(input === undefined ? [] : callGrown(started.index, JSON.stringify({ input }))),
          callEnded(started.index, sourceOf(state), extras, isBroken),
        ],
  );
  const index = state.nextIndex;
  const native = nativeOf(sourceOf(state), Object.keys(state.fields).length === 0 ? {} : { fields: state.fields });
  return {
    state: { ...state, open: { type: "none" }, ended: true },
    parts: [
      ...closing(state),
      ...calls,
      ...unspoken(state),
      ...executedPart(state, index),
      { type: "finished", reason: stopReason(state), usage: state.usage, ...native },
    ],
  };
}

/** Speech without a transcript is an empty text that its id belongs to. */
function unspoken(state: DecodeState): readonly StreamPart[] {
  if (state.sources["audio"] === undefined || state.nextIndex > 0) return [];
  return [
    { type: "text-start", index: 0 },
    { type: "text-end", index: 0, ...nativeOf(sourceOf(state), state.sources) },
  ];
}

/** The tools that the server ran for this reply, for people; the format has no place to send them back. */
function executedPart({ executed }: DecodeState, index: number): readonly StreamPart[] {
  if (executed.length === 0) return [];
  return [
    { type: "opaque", index: index + 1, api: chatApi, raw: { type: "executed_tools", executed_tools: executed } },
  ];
}

function stopReason(state: DecodeState): StopReason {
  switch (state.finishReason) {
    case "tool_calls":
    case "function_call":
      return "tool-use";
    case "length":
      return "max-tokens";
    case "content_filter":
      return "content-filter";
    case "stop":
    case "eos":
    case undefined:
      // Several servers report "stop" after tool calls.
      return state.calls.length > 0 ? "tool-use" : state.refused ? "refusal" : "end-turn";
    default:
      return "other";
  }
}

/** Counts cover the whole reply each time, so the latest count applies. */
function readUsage(usage: JsonObject | undefined, before: Usage): Usage {
  if (usage === undefined) return before;
  const inDetail = objectAt(usage, "prompt_tokens_details");
  const outDetail = objectAt(usage, "completion_tokens_details");
  return {
    inputTokens: numberAt(usage, "prompt_tokens") ?? before.inputTokens,
    outputTokens: numberAt(usage, "completion_tokens") ?? before.outputTokens,
    cachedInputTokens:
      numberAt(inDetail, "cached_tokens") ?? numberAt(usage, "prompt_cache_hit_tokens") ?? before.cachedInputTokens,
    thinkingTokens: numberAt(outDetail, "reasoning_tokens") ?? before.thinkingTokens,
  };
}
