import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { noUsage, type Usage } from "../../../core/message/usage.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import { callEnded, callGrown, callStarted } from "../shared/call-parts.ts";
import type { Decoded } from "../shared/codec.ts";
import { brokenOff, failureOfEvent, isErrorBody, networkFailure, notJson } from "../shared/errors.ts";
import { failReply } from "../shared/failed-reply.ts";
import { byTemplate, noTemplate, type TemplateState } from "../shared/delta-template.ts";
import { listAt, numberAt, objectAt, parseJson, textAt, withoutKeys } from "../shared/json-read.ts";
import { nativeOf, type NativeSource } from "../shared/native.ts";
import { responseStarted } from "../shared/response-started.ts";
import type { SseEvent } from "../shared/sse.ts";
import { chatApi } from "./api.ts";
import { thoughtOf, thoughtPart } from "./thinking.ts";

/** The block that text is added to; tool calls stay open beside it until the reply ends. */
type OpenBlock =
  | { readonly type: "none" }
  | { readonly type: "text"; readonly index: number }
  | { readonly type: "refusal"; readonly index: number }
  | { readonly type: "thinking"; readonly index: number; readonly details: readonly JsonObject[] };

/** A call that is arriving. Its part starts only once its name is known. */
interface OpenCall {
  /** The wire's number of the call; undefined when the server gives none. */
  readonly at: number | undefined;
  readonly id: string | undefined;
  readonly started: { readonly index: number } | undefined;
  /** Arguments that arrived before the name. */
  readonly early: string;
  /** Further fields of the call, such as a signature that must be sent back with it. */
  readonly extras: JsonObject;
}

/** The decoding state of one reply. */
export interface DecodeState extends TemplateState {
  readonly model: string | undefined;
  readonly responded: boolean;
  /** Number of the next block, in order of arrival. */
  readonly nextIndex: number;
  readonly open: OpenBlock;
  readonly calls: readonly OpenCall[];
  readonly finishReason: string | undefined;
  /** The sources of the text as the server lists them, for a part of it or for the whole reply. */
  readonly annotations: readonly JsonObject[];
  readonly sources: JsonObject;
  /** Whether the server may end without a finish reason once it has said something. */
  readonly mayJustStop: boolean;
  readonly refused: boolean;
  readonly usage: Usage;
  readonly ended: boolean;
}

export const startState: DecodeState = {
  ...noTemplate,
  model: undefined,
  responded: false,
  nextIndex: 0,
  open: { type: "none" },
  calls: [],
  finishReason: undefined,
  annotations: [],
  sources: {},
  mayJustStop: false,
  refused: false,
  usage: noUsage,
  ended: false,
};

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
  if (sources !== undefined) current = { ...current, sources };
  if (!current.responded) {
    const id = textAt(body, "id");
    const model = textAt(body, "model");
    parts.push(responseStarted({ id, model }));
    current = { ...current, responded: true, model };
  }
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
  for (const call of listAt(delta, "tool_calls")) take(callTool(current, isJsonObject(call) ? call : {}));
  // The older form, with a single call per reply.
  const single = objectAt(delta, "function_call");
  if (single !== undefined) take(callTool(current, { index: 0, function: single }));
  return { state: current, parts };
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

/** The state in which nothing is open; the sources of the closed text are cleared. */
function closed(state: DecodeState): DecodeState {
  const annotations = state.open.type === "text" ? [] : state.annotations;
  return { ...state, open: { type: "none" }, tail: undefined, annotations };
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

/** The field in which a detail holds its text. */
function wordsKey(detail: JsonObject): "text" | "summary" {
  return typeof detail["text"] === "string" ? "text" : "summary";
}

/** Whether a detail only adds this text to the last one. */
function onlyAddsText(last: JsonObject | undefined, detail: JsonObject, text: string): boolean {
  const key = wordsKey(detail);
  if (last === undefined || detail[key] !== text || typeof last[key] !== "string") return false;
  if (last["type"] !== detail["type"] || last["index"] !== detail["index"]) return false;
  return Object.entries(detail).every(([name, value]) => name === key || value === null || value === last[name]);
}

/** The details of the open thinking, with the tail added to the last one. */
function openDetails({ open, tail }: DecodeState): readonly JsonObject[] {
  if (open.type !== "thinking") return [];
  const last = open.details.at(-1);
  if (last === undefined || tail === undefined) return open.details;
  const key = wordsKey(last);
  return open.details.with(open.details.length - 1, { ...last, [key]: `${textAt(last, key) ?? ""}${tail}` });
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

function callTool(state: DecodeState, delta: JsonObject): Decoded<DecodeState> {
  const called = objectAt(delta, "function");
  const name = textAt(called, "name") ?? "";
  const id = textAt(delta, "id") ?? "";
  const at = numberAt(delta, "index");
  const args: unknown = called?.["arguments"];
  const text = typeof args === "string" ? args : isJsonObject(args) ? JSON.stringify(args) : "";
  const place = placeOf(state.calls, { at, id, name });
  const added = withoutKeys(delta, "index", "id", "type", "function");
  const known = state.calls[place] ?? { at, id: undefined, started: undefined, early: "", extras: {} };
  const before = Object.keys(added).length === 0 ? known : { ...known, extras: { ...known.extras, ...added } };
  if (before.started !== undefined) {
    const { index } = before.started;
    const grown = before === known ? state : { ...state, calls: put(state.calls, place, before) };
    return { state: grown, parts: callGrown(index, text) };
  }
  const ownId = before.id ?? (id === "" ? undefined : id);
  const early = before.early + text;
  if (name === "")
    return { state: { ...state, calls: put(state.calls, place, { ...before, id: ownId, early }) }, parts: [] };
  const index = state.nextIndex;
  return {
    state: {
      ...closed(state),
      nextIndex: index + 1,
      calls: put(state.calls, place, { ...before, id: ownId, started: { index }, early: "" }),
    },
    parts: [...closing(state), callStarted(index, { id: ownId, name }), ...callGrown(index, early)],
  };
}

/**
 * Finds the call of a piece: the call with its number, unless the piece brings a new id and a name; without a number the
 * call with its id; without either the newest call, unless the piece brings a name. A position past the end is a new call.
 */
function placeOf(
  calls: readonly OpenCall[],
  piece: { readonly at: number | undefined; readonly id: string; readonly name: string },
): number {
  const fresh = calls.length;
  if (piece.at !== undefined) {
    const found = calls.findLastIndex((call) => call.at === piece.at);
    const call = calls[found];
    if (call === undefined) return fresh;
    const another = piece.id !== "" && call.id !== undefined && call.id !== piece.id && piece.name !== "";
    return another ? fresh : found;
  }
  if (piece.id !== "") {
    const found = calls.findLastIndex((call) => call.id === piece.id);
    return found === -1 ? fresh : found;
  }
  return piece.name === "" && fresh > 0 ? fresh - 1 : fresh;
}

function put(calls: readonly OpenCall[], place: number, call: OpenCall): readonly OpenCall[] {
  return place === calls.length ? [...calls, call] : calls.with(place, call);
}

/** Closes the block that text was added to. */
function closing(state: DecodeState): readonly StreamPart[] {
  switch (state.open.type) {
    case "none":
    case "refusal":
      return [];
    case "text": {
      const { annotations, sources } = state;
      const extras = { ...(annotations.length === 0 ? {} : { annotations }), ...sources };
      return [{ type: "text-end", index: state.open.index, ...nativeOf(sourceOf(state), extras) }];
    }
    case "thinking": {
      const { index } = state.open;
      const details = openDetails(state);
      return [
        {
          type: "thinking-end",
          index,
          ...nativeOf(sourceOf(state), details.length === 0 ? {} : { reasoning_details: details }),
        },
      ];
    }
  }
}

function sourceOf({ model }: DecodeState): NativeSource {
  return { api: chatApi, model };
}

function finish(state: DecodeState): Decoded<DecodeState> {
  if (state.finishReason === "error")
    return failReply(state, networkFailure("The provider stopped the reply because of an error."));
  const calls = state.calls.flatMap(({ started, extras }) =>
    started === undefined ? [] : [callEnded(started.index, sourceOf(state), extras)],
  );
  return {
    state: { ...state, open: { type: "none" }, ended: true },
    parts: [...closing(state), ...calls, { type: "finished", reason: stopReason(state), usage: state.usage }],
  };
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
