import { unreachable } from "../../../core/base/assert.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { NativeExtras } from "../../../core/message/types.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { FailureClass } from "../../../core/model/failure.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import { listAt, objectAt, parseJson, textAt, withoutKeys } from "../shared/json-read.ts";
import type { SseEvent } from "../shared/sse.ts";
import { fieldsOf } from "../shared/wire-shape.ts";
import { geminiApi } from "./api.ts";

/** A call whose arguments are still arriving, since the wire sends them in one piece. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly json: string;
}

/** The encoding state of one reply. */
export interface EncodeReplyState {
  readonly id: string;
  readonly model: string;
  readonly calls: ReadonlyMap<number, OpenCall>;
  readonly refusal: string;
  /** Whether the model wrote a call that this wire cannot express. */
  readonly malformed: boolean;
}

export const startReply: EncodeReplyState = {
  id: "response_0",
  model: "",
  calls: new Map(),
  refusal: "",
  malformed: false,
};

/** Encodes one part as events of a streamGenerateContent stream: the inverse of `decodeChunk`. */
export function encodeReplyPart(
  state: EncodeReplyState,
  part: StreamPart,
): { readonly state: EncodeReplyState; readonly events: readonly SseEvent[] } {
  const parts = (...list: readonly JsonObject[]): readonly SseEvent[] => [
    chunk(state, { candidates: [{ content: { role: "model", parts: list }, index: 0 }] }),
  ];
  switch (part.type) {
    case "response-started": {
      const started = { ...state, id: part.id ?? state.id, model: part.model ?? state.model };
      return { state: started, events: [chunk(started, {})] };
    }
    case "text-delta":
      return { state, events: parts({ text: part.text }) };
    case "thinking-delta":
      return { state, events: parts({ text: part.text, thought: true }) };
    case "text-end": {
      const signature = signatureOf(part.native);
      const grounding = groundingOf(part.native);
      return {
        state,
        events: [
          ...(grounding === undefined ? [] : [chunk(state, { candidates: [{ ...grounding, index: 0 }] })]),
          ...(signature === undefined ? [] : parts({ text: "", thoughtSignature: signature })),
        ],
      };
    }
    case "thinking-end":
      return {
        state,
        events:
          part.signature === undefined ? [] : parts({ text: "", thought: true, thoughtSignature: part.signature }),
      };
    case "tool-call-start":
      return { state: withCall(state, part.index, { id: part.id, name: part.name, json: "" }), events: [] };
    case "tool-call-delta": {
      const call = state.calls.get(part.index);
      return {
        state: call === undefined ? state : withCall(state, part.index, { ...call, json: call.json + part.text }),
        events: [],
      };
    }
    case "tool-call-end": {
      const call = state.calls.get(part.index);
      if (call === undefined) return { state, events: [] };
      const args = parseJson(call.json === "" ? "{}" : call.json);
      if (!isJsonObject(args)) return { state: { ...state, malformed: true }, events: [] };
      const signature = signatureOf(part.native);
      const signed = signature === undefined ? {} : { thoughtSignature: signature };
      const own = part.native?.api === geminiApi ? part.native.data : undefined;
      const named = own === undefined || own["callId"] === true ? { id: call.id } : {};
      const functionCall = { ...named, name: call.name, args, ...fieldsOf(own, "call") };
      return { state, events: parts({ functionCall, ...signed, ...fieldsOf(own, "part") }) };
    }
    case "refusal":
      return { state: { ...state, refusal: state.refusal + part.text }, events: [] };
    case "opaque":
      return { state, events: part.api === geminiApi ? parts(part.raw) : [] };
    case "text-start":
    case "thinking-start":
      return { state, events: [] };
    case "finished": {
      const refused =
        state.refusal === "" ? {} : { promptFeedback: { blockReason: "OTHER", blockReasonMessage: state.refusal } };
      // A call that was cut by the token limit is dropped; the limit is reported instead.
      const finish =
        state.malformed && part.reason !== "max-tokens"
          ? { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed function call." }
          : { finishReason: finishReason(part.reason) };
      return {
        state,
        events: [
          chunk(state, {
            ...refused,
            candidates: [{ content: { role: "model", parts: [] }, ...finish, index: 0 }],
            usageMetadata: encodeUsage(part.usage),
          }),
        ],
      };
    }
    case "failed":
      return {
        state,
        events: [{ data: JSON.stringify({ error: errorOf(part.failure.class, part.failure.message) }) }],
      };
    default:
      return unreachable(part);
  }
}

/** Encodes a whole reply as one JSON body, from its parts. */
export function encodeReplyBody(parts: readonly StreamPart[]): JsonObject {
  let state = startReply;
  const body: Record<string, JsonObject[string]> = {};
  const said: Record<string, JsonObject[string]> = {};
  const content: JsonObject[] = [];
  for (const part of parts) {
    const written = encodeReplyPart(state, part);
    state = written.state;
    for (const event of written.events) {
      const each = parseJson(event.data);
      if (!isJsonObject(each)) continue;
      if (each["error"] !== undefined) return each;
      Object.assign(body, each);
      Object.assign(said, listAt(each, "candidates")[0]);
      for (const piece of listAt(objectAt(listAt(each, "candidates")[0], "content"), "parts")) {
        if (isJsonObject(piece)) append(content, piece);
      }
    }
  }
  const candidate = { ...said, content: { role: "model", parts: content } };
  return { ...body, candidates: [candidate] };
}

/** Texts of one kind are one part until a signature closes them. */
function append(content: JsonObject[], piece: JsonObject): void {
  const last = content.at(-1);
  const [before, added] = [textAt(last, "text"), textAt(piece, "text")];
  const joins =
    last !== undefined &&
    before !== undefined &&
    added !== undefined &&
    last["thoughtSignature"] === undefined &&
    last["thought"] === piece["thought"];
  if (joins) content[content.length - 1] = { ...last, ...piece, text: before + added };
  else content.push(piece);
}

function withCall(state: EncodeReplyState, index: number, call: OpenCall): EncodeReplyState {
  return { ...state, calls: new Map(state.calls).set(index, call) };
}

function signatureOf(native: NativeExtras | undefined): string | undefined {
  return native?.api === geminiApi ? textAt(native.data, "thoughtSignature") : undefined;
}

/** The sources of a text are sent beside it. */
function groundingOf(native: NativeExtras | undefined): JsonObject | undefined {
  const data = native?.api === geminiApi ? withoutKeys(native.data, "thoughtSignature", "part") : {};
  return Object.keys(data).length === 0 ? undefined : data;
}

function chunk(state: EncodeReplyState, fields: JsonObject): SseEvent {
  return { data: JSON.stringify({ ...fields, modelVersion: state.model, responseId: state.id }) };
}

function encodeUsage(usage: Usage): JsonObject {
  return {
    promptTokenCount: usage.inputTokens,
    candidatesTokenCount: usage.outputTokens - usage.thinkingTokens,
    ...(usage.thinkingTokens === 0 ? {} : { thoughtsTokenCount: usage.thinkingTokens }),
    ...(usage.cachedInputTokens === 0 ? {} : { cachedContentTokenCount: usage.cachedInputTokens }),
    totalTokenCount: usage.inputTokens + usage.outputTokens,
  };
}

function finishReason(reason: StopReason): string {
  switch (reason) {
    case "max-tokens":
      return "MAX_TOKENS";
    case "content-filter":
      return "SAFETY";
    case "other":
      return "OTHER";
    case "end-turn":
    case "tool-use":
    case "stop-sequence":
    case "pause":
    case "refusal":
      return "STOP";
    default:
      return unreachable(reason);
  }
}

function errorOf(failure: FailureClass, message: string): JsonObject {
  const [code, status, reason] = errorCodes(failure);
  return { code, message, status, ...(reason === undefined ? {} : { details: [{ reason }] }) };
}

/** HTTP status, status name, and a more exact reason where the format has one. */
function errorCodes(failure: FailureClass): readonly [number, string, string?] {
  switch (failure) {
    case "auth":
      return [400, "INVALID_ARGUMENT", "API_KEY_INVALID"];
    case "quota":
      return [429, "RESOURCE_EXHAUSTED", "BILLING_DISABLED"];
    case "rate-limit":
    case "budget":
      return [429, "RESOURCE_EXHAUSTED"];
    case "overloaded":
      return [503, "UNAVAILABLE"];
    case "context-length":
    case "context-full":
    case "transcript":
    case "invalid-request":
    case "content-filter":
      return [400, "INVALID_ARGUMENT"];
    case "network":
    case "cancelled":
    case "unknown":
      return [500, "INTERNAL"];
    default:
      return unreachable(failure);
  }
}
