import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { noUsage, type Usage } from "../../../core/message/usage.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import { callEnded, callGrown, callStarted } from "../shared/call-parts.ts";
import type { Decoded } from "../shared/codec.ts";
import { brokenOff, failureOfEvent, isErrorBody, networkFailure, notJson } from "../shared/errors.ts";
import { failReply } from "../shared/failed-reply.ts";
import { listAt, numberAt, objectAt, parseJson, textAt } from "../shared/json-read.ts";
import { nativeOf, type NativeSource } from "../shared/native.ts";
import { responseStarted } from "../shared/response-started.ts";
import type { SseEvent } from "../shared/sse.ts";
import { geminiApi } from "./api.ts";
import { callExtras, type Part, partExtras, readPart } from "./part.ts";
import { addPartialArgs, isPiece } from "./partial-args.ts";

/** The block that is growing. */
type OpenBlock =
  | { readonly type: "none" }
  /** A signature ends the block, which stays open for the sources that may come with it. */
  | {
      readonly type: "text" | "thinking";
      readonly index: number;
      readonly signature: string | undefined;
      readonly rest: JsonObject;
    }
  /** A call whose arguments arrive value by value. */
  | {
      readonly type: "call";
      readonly index: number;
      readonly args: JsonObject;
      readonly extras: JsonObject;
      /** The arguments, or a piece of them, could not be read. */
      readonly isBroken: boolean;
    };

/** The decoding state of one reply. */
export interface DecodeState {
  readonly model: string | undefined;
  readonly responded: boolean;
  /** Number of the next block, in order of arrival. */
  readonly nextIndex: number;
  readonly open: OpenBlock;
  readonly calledTools: boolean;
  readonly refused: boolean;
  readonly finishReason: string | undefined;
  readonly finishMessage: string | undefined;
  /** The sources of the text: searches, pages, quotations. */
  readonly grounding: JsonObject;
  readonly usage: Usage;
  readonly ended: boolean;
}

export const startState: DecodeState = {
  model: undefined,
  responded: false,
  nextIndex: 0,
  open: { type: "none" },
  calledTools: false,
  refused: false,
  finishReason: undefined,
  finishMessage: undefined,
  grounding: {},
  usage: noUsage,
  ended: false,
};

/** Reads one event of a streamed reply: a whole response, whose parts continue the previous ones. */
export function decodeChunk(state: DecodeState, event: SseEvent): Decoded<DecodeState> {
  if (state.ended) return { state, parts: [] };
  if (event.data.trim() === "[DONE]") return end(state);
  const body = parseJson(event.data);
  if (body === undefined) {
    if (event.event === "error") return failReply(state, failureOfEvent({ message: event.data }));
    return isComplete(state) ? end(state) : failReply(state, notJson);
  }
  if (event.event === "error" || isErrorBody(body)) return failReply(state, failureOfEvent(body));
  return readResponse(state, body);
}

/**
 * Ends the stream. No event ends a reply: a model that runs code gives a stop reason in each round, and only the last one
 * counts.
 */
export function decodeEnd(state: DecodeState): readonly StreamPart[] {
  return state.ended ? [] : end(state).parts;
}

/** Reads a reply that came as one JSON body, or as the list of its pieces. */
export function decodeReply(body: unknown): readonly StreamPart[] {
  const responses: readonly unknown[] = Array.isArray(body) ? body : [body];
  const isReply = responses.some(
    (each) => listAt(unwrapped(each), "candidates").length > 0 || isBlocked(unwrapped(each)),
  );
  if (!isReply || isErrorBody(body)) {
    const failure = isErrorBody(body)
      ? failureOfEvent(body)
      : networkFailure("The provider's answer is not a reply of the generateContent format.");
    return [{ type: "failed", failure }];
  }
  let state = startState;
  const parts: StreamPart[] = [];
  for (const response of responses) {
    const read = readResponse(state, response);
    state = read.state;
    parts.push(...read.parts);
  }
  // A body is complete, whether or not it has a stop reason.
  return [...parts, ...end({ ...state, finishReason: state.finishReason ?? "STOP" }).parts];
}

function readResponse(state: DecodeState, given: unknown): Decoded<DecodeState> {
  const body = unwrapped(given);
  const parts: StreamPart[] = [];
  const usage = readUsage(objectAt(body, "usageMetadata"), state.usage);
  let current = state;
  const take = (read: Decoded<DecodeState>): void => {
    current = read.state;
    for (const part of read.parts) parts.push(part);
  };
  if (!state.responded) {
    const id = textAt(body, "responseId");
    const model = textAt(body, "modelVersion");
    parts.push(responseStarted({ id, model }));
    current = { ...state, usage, responded: true, model };
  } else if (usage !== state.usage) current = { ...state, usage };
  for (const candidate of listAt(body, "candidates")) {
    if ((numberAt(candidate, "index") ?? 0) !== 0) continue;
    // The sources may arrive with the signature that ends their text, or after it.
    const sources = groundingIn(candidate);
    if (sources !== undefined) current = { ...current, grounding: { ...current.grounding, ...sources } };
    for (const part of listAt(objectAt(candidate, "content"), "parts")) {
      if (isJsonObject(part)) take(partRead(current, readPart(part)));
    }
    const finishReason = textAt(candidate, "finishReason") ?? current.finishReason;
    const finishMessage = textAt(candidate, "finishMessage") ?? current.finishMessage;
    if (finishReason !== current.finishReason || finishMessage !== current.finishMessage)
      current = { ...current, finishReason, finishMessage };
  }
  // While a call grows, an event without one of its pieces may have lost it.
  const isPiece = parts.length > 0 || current.open !== state.open || current.finishReason !== state.finishReason;
  if (state.open.type === "call" && current.open.type === "call" && !isPiece)
    current = { ...current, open: { ...current.open, isBroken: true } };
  if (isBlocked(body)) take(blocked(current, objectAt(body, "promptFeedback") ?? {}));
  return { state: current, parts };
}

/** Some endpoints wrap each response in an envelope. */
function unwrapped(body: unknown): unknown {
  return isJsonObject(body) && body["candidates"] === undefined ? (objectAt(body, "response") ?? body) : body;
}

const groundingKeys = ["groundingMetadata", "citationMetadata", "urlContextMetadata"] as const;

/** The sources that an answer names; undefined where it names none. */
function groundingIn(candidate: unknown): JsonObject | undefined {
  let found: Record<string, JsonObject> | undefined;
  for (const key of groundingKeys) {
    const held = objectAt(candidate, key);
    if (held !== undefined) (found ??= {})[key] = held;
  }
  return found;
}

function isBlocked(body: unknown): boolean {
  return textAt(objectAt(body, "promptFeedback"), "blockReason") !== undefined;
}

/** A prompt that is refused as a whole has no candidate; the reason is in the feedback. */
function blocked(state: DecodeState, feedback: JsonObject): Decoded<DecodeState> {
  const text =
    textAt(feedback, "blockReasonMessage") ?? `The provider refused the prompt (${textAt(feedback, "blockReason")}).`;
  const index = state.nextIndex;
  const closed = closeOpen(state);
  return {
    state: {
      ...closed.state,
      nextIndex: index + 1,
      refused: true,
      finishReason: state.finishReason ?? "STOP",
    },
    parts: [...closed.parts, { type: "refusal", index, text }],
  };
}

function partRead(state: DecodeState, part: Part): Decoded<DecodeState> {
  switch (part.type) {
    case "text":
      return textRead(state, part);
    case "call":
      return callRead(state, part);
    case "other": {
      const closed = closeOpen(withBrokenCall(state));
      const index = state.nextIndex;
      return {
        state: { ...closed.state, nextIndex: index + 1 },
        parts: [...closed.parts, { type: "opaque", index, api: geminiApi, raw: part.raw }],
      };
    }
  }
}

/** Texts of one kind continue each other until a signature closes them. */
function textRead(state: DecodeState, part: Extract<Part, { readonly type: "text" }>): Decoded<DecodeState> {
  const type = part.thought ? "thinking" : "text";
  const hasRest = Object.keys(part.rest).some((key) => key !== "thought");
  if (part.text === "" && part.signature === undefined && !hasRest) return { state, parts: [] };
  const parts: StreamPart[] = [];
  let current = state;
  if (current.open.type !== type || current.open.signature !== undefined || hasRest) {
    const closed = closeOpen(withBrokenCall(current));
    const index = current.nextIndex;
    current = { ...closed.state, nextIndex: index + 1, open: { type, index, signature: undefined, rest: part.rest } };
    parts.push(...closed.parts, { type: `${type}-start`, index });
  }
  if (current.open.type !== type) return { state: current, parts };
  if (part.text !== "") parts.push({ type: `${type}-delta`, index: current.open.index, text: part.text });
  if (part.signature === undefined) return { state: current, parts };
  return { state: { ...current, open: { ...current.open, signature: part.signature } }, parts };
}

/** A call arrives whole, unless it announces further arguments. */
function callRead(state: DecodeState, part: Extract<Part, { readonly type: "call" }>): Decoded<DecodeState> {
  const { call } = part;
  const name = textAt(call, "name") ?? "";
  const more = call["willContinue"] === true;
  const { open } = state;
  if (open.type === "call" && name === "") {
    const extras = { ...open.extras, ...callExtras(part) };
    const grown: DecodeState = {
      ...state,
      open: { ...open, args: addPartialArgs(open.args, call), extras, isBroken: open.isBroken || isOdd(call) },
    };
    return more ? { state: grown, parts: [] } : closeOpen(grown);
  }
  const closed = closeOpen(withBrokenCall(state));
  if (name === "") return closed;
  const index = closed.state.nextIndex;
  const args = addPartialArgs(objectAt(call, "args") ?? {}, call);
  const begun: DecodeState = {
    ...closed.state,
    nextIndex: index + 1,
    calledTools: true,
    open: { type: "call", index, args, extras: callExtras(part), isBroken: isOdd(call) },
  };
  const start = callStarted(index, { id: textAt(call, "id"), name });
  if (more) return { state: begun, parts: [...closed.parts, start] };
  const ended = closeOpen(begun);
  return { state: ended.state, parts: [...closed.parts, start, ...ended.parts] };
}

/** A call that something else ends before it has said that it is whole. */
function withBrokenCall(state: DecodeState): DecodeState {
  const { open } = state;
  return open.type === "call" ? { ...state, open: { ...open, isBroken: true } } : state;
}

/** Whether something other than arguments is in their place; a call without arguments has no field for them. */
function isOdd(call: JsonObject): boolean {
  const { args, partialArgs: pieces } = call;
  const renamed =
    args === undefined && pieces === undefined && /"(?:args|partialArgs)/.test(JSON.stringify(Object.keys(call)));
  const unread = listAt(call, "partialArgs").some((piece) => !isPiece(piece));
  const more = call["willContinue"];
  if (more !== undefined && typeof more !== "boolean") return true;
  return (
    renamed || unread || (args !== undefined && !isJsonObject(args)) || (pieces !== undefined && !Array.isArray(pieces))
  );
}

function closeOpen(state: DecodeState): Decoded<DecodeState> {
  const { open } = state;
  if (open.type === "none") return { state, parts: [] };
  const closed: DecodeState = {
    ...state,
    open: { type: "none" },
    grounding: open.type === "text" ? {} : state.grounding,
  };
  switch (open.type) {
    case "text":
      return {
        state: closed,
        parts: [
          {
            type: "text-end",
            index: open.index,
            ...nativeOf(sourceOf(state), { ...state.grounding, ...partExtras(open) }),
          },
        ],
      };
    case "thinking":
      return {
        state: closed,
        parts: [
          {
            type: "thinking-end",
            index: open.index,
            ...(open.signature === undefined ? {} : { signature: open.signature }),
            ...nativeOf(sourceOf(state), partExtras({ signature: undefined, rest: open.rest })),
          },
        ],
      };
    case "call":
      return {
        state: closed,
        parts: [
          ...callGrown(open.index, JSON.stringify(open.args)),
          callEnded(open.index, sourceOf(state), open.extras, open.isBroken),
        ],
      };
  }
}

function sourceOf({ model }: DecodeState): NativeSource {
  return { api: geminiApi, model };
}

/** A reply is incomplete while a call's arguments are still arriving. */
function isComplete(state: DecodeState): boolean {
  return state.finishReason !== undefined && state.open.type !== "call";
}

function end(state: DecodeState): Decoded<DecodeState> {
  if (!isComplete(state)) return failReply(state, brokenOff);
  const isUnusable = state.finishReason === "UNEXPECTED_TOOL_CALL" && !state.calledTools && state.nextIndex === 0;
  if (state.finishReason === "MALFORMED_FUNCTION_CALL" || isUnusable) return failReply(state, unusableCall(state));
  const closed = closeOpen(state);
  const reason = stopReason(state);
  // When the reply has no content, the filter's message is all there is to show.
  const why = reason === "content-filter" && state.nextIndex === 0 ? state.finishMessage : undefined;
  return {
    state: { ...closed.state, ended: true },
    parts: [
      ...closed.parts,
      ...(why === undefined ? [] : [{ type: "refusal" as const, index: state.nextIndex, text: why }]),
      { type: "finished", reason, usage: state.usage },
    ],
  };
}

/** The provider's own server could not read the model's call, or found no such tool; a retry nearly always helps. */
function unusableCall({ finishReason, finishMessage }: DecodeState): ModelFailure {
  const unread = "The model wrote a tool call that could not be read.";
  const message =
    finishReason === "MALFORMED_FUNCTION_CALL" ? unread : "The model called a tool that it was not given.";
  return {
    class: "unknown",
    message: finishMessage ?? message,
    retryable: true,
    ...(finishReason === undefined ? {} : { providerCode: finishReason }),
  };
}

function stopReason(state: DecodeState): StopReason {
  switch (state.finishReason ?? "") {
    case "STOP":
      if (state.calledTools) return "tool-use";
      return state.refused ? "refusal" : "end-turn";
    case "MAX_TOKENS":
      return "max-tokens";
    case "SAFETY":
    case "RECITATION":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
    case "MODEL_ARMOR":
    case "IMAGE_SAFETY":
    case "IMAGE_PROHIBITED_CONTENT":
    case "IMAGE_RECITATION":
      return "content-filter";
    default:
      return "other";
  }
}

/** Counts cover the whole reply each time. Thinking is counted beside the answer, and tools' input beside the prompt. */
function readUsage(usage: JsonObject | undefined, before: Usage): Usage {
  if (usage === undefined) return before;
  const prompt = numberAt(usage, "promptTokenCount");
  const said = numberAt(usage, "candidatesTokenCount");
  const thought = numberAt(usage, "thoughtsTokenCount") ?? before.thinkingTokens;
  return {
    inputTokens: prompt === undefined ? before.inputTokens : prompt + (numberAt(usage, "toolUsePromptTokenCount") ?? 0),
    outputTokens: said === undefined ? Math.max(before.outputTokens, thought) : said + thought,
    cachedInputTokens: numberAt(usage, "cachedContentTokenCount") ?? before.cachedInputTokens,
    thinkingTokens: thought,
  };
}
