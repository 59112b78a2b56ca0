import { unreachable } from "../../../core/base/assert.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { FailureClass } from "../../../core/model/failure.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import { numberAt, objectAt, parseJson, textAt } from "../shared/json-read.ts";
import type { SseEvent } from "../shared/sse.ts";

/** The encoding state of one reply. */
export interface EncodeReplyState {
  /** Thinking that may turn out to be encrypted, which is known only at its end. */
  readonly waiting: number | undefined;
  readonly refusal: string;
}

export const startReply: EncodeReplyState = { waiting: undefined, refusal: "" };

/** Encodes one part as events of a Messages stream: the inverse of `decodeChunk`. */
export function encodeReplyPart(
  state: EncodeReplyState,
  part: StreamPart,
): { readonly state: EncodeReplyState; readonly events: readonly SseEvent[] } {
  const settle = (index: number): readonly SseEvent[] =>
    state.waiting === index ? [blockStart(index, { type: "thinking", thinking: "", signature: "" })] : [];
  const settled: EncodeReplyState = { ...state, waiting: undefined };
  switch (part.type) {
    case "response-started":
      return {
        state,
        events: [event("message_start", { message: emptyMessage(part.id ?? "msg_0", part.model ?? "") })],
      };
    case "text-start":
      return { state, events: [blockStart(part.index, { type: "text", text: "" })] };
    case "text-delta":
      return { state, events: [blockDelta(part.index, { type: "text_delta", text: part.text })] };
    case "thinking-start":
      return { state: { ...state, waiting: part.index }, events: [] };
    case "thinking-delta":
      return {
        state: settled,
        events: [...settle(part.index), blockDelta(part.index, { type: "thinking_delta", thinking: part.text })],
      };
    case "thinking-end": {
      if (part.redacted !== undefined) {
        return {
          state: settled,
          events: [blockStart(part.index, { type: "redacted_thinking", data: part.redacted }), blockStop(part.index)],
        };
      }
      const signature =
        part.signature === undefined
          ? []
          : [blockDelta(part.index, { type: "signature_delta", signature: part.signature })];
      return { state: settled, events: [...settle(part.index), ...signature, blockStop(part.index)] };
    }
    case "tool-call-start":
      return { state, events: [blockStart(part.index, { type: "tool_use", id: part.id, name: part.name, input: {} })] };
    case "tool-call-delta":
      return { state, events: [blockDelta(part.index, { type: "input_json_delta", partial_json: part.text })] };
    case "text-end":
    case "tool-call-end":
      return { state, events: [blockStop(part.index)] };
    case "refusal":
      return { state: { ...state, refusal: state.refusal + part.text }, events: [] };
    case "opaque":
      return { state, events: [blockStart(part.index, part.raw), blockStop(part.index)] };
    case "finished": {
      const refused = state.refusal === "" ? {} : { stop_details: { type: "refusal", explanation: state.refusal } };
      const delta = {
        stop_reason: stopReason(state.refusal === "" ? part.reason : "refusal"),
        stop_sequence: null,
        ...refused,
      };
      return {
        state,
        events: [event("message_delta", { delta, usage: encodeUsage(part.usage) }), event("message_stop", {})],
      };
    }
    case "failed":
      return {
        state,
        events: [event("error", { error: { type: errorType(part.failure.class), message: part.failure.message } })],
      };
    default:
      return unreachable(part);
  }
}

/** Encodes a whole reply as one JSON body, from the events that `encodeReplyPart` wrote. */
export function encodeReplyBody(events: readonly SseEvent[]): JsonObject {
  let message: JsonObject = emptyMessage("msg_0", "");
  const blocks = new Map<number, JsonObject>();
  const inputs = new Map<number, string>();
  for (const { data } of events) {
    const body = parseJson(data);
    const index = numberAt(body, "index") ?? 0;
    switch (textAt(body, "type") ?? "") {
      case "message_start":
        message = objectAt(body, "message") ?? message;
        break;
      case "content_block_start":
        blocks.set(index, objectAt(body, "content_block") ?? {});
        break;
      case "content_block_delta": {
        const block = blocks.get(index) ?? {};
        const delta = objectAt(body, "delta");
        const json = textAt(delta, "partial_json");
        if (json !== undefined) inputs.set(index, (inputs.get(index) ?? "") + json);
        const grown = ["text", "thinking", "signature"].flatMap((key) => {
          const added = textAt(delta, key);
          return added === undefined ? [] : [[key, (textAt(block, key) ?? "") + added]];
        });
        blocks.set(index, { ...block, ...Object.fromEntries(grown) });
        break;
      }
      case "message_delta":
        message = { ...message, ...objectAt(body, "delta"), usage: objectAt(body, "usage") ?? {} };
        break;
      case "error":
        return isJsonObject(body) ? body : {};
    }
  }
  for (const [index, json] of inputs) {
    const input = parseJson(json === "" ? "{}" : json);
    // The format cannot carry unreadable arguments; an empty object replaces them.
    blocks.set(index, { ...blocks.get(index), input: isJsonObject(input) ? input : json });
  }
  return { ...message, content: [...blocks.entries()].toSorted(([a], [b]) => a - b).map(([, block]) => block) };
}

function event(type: string, fields: JsonObject): SseEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}

function blockStart(index: number, block: JsonObject): SseEvent {
  return event("content_block_start", { index, content_block: block });
}

function blockDelta(index: number, delta: JsonObject): SseEvent {
  return event("content_block_delta", { index, delta });
}

function blockStop(index: number): SseEvent {
  return event("content_block_stop", { index });
}

function emptyMessage(id: string, model: string): JsonObject {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
}

function encodeUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens - usage.cachedInputTokens - (usage.cacheWriteTokens ?? 0),
    ...(usage.cacheWriteTokens === undefined ? {} : { cache_creation_input_tokens: usage.cacheWriteTokens }),
    cache_read_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    ...(usage.thinkingTokens === 0 ? {} : { output_tokens_details: { thinking_tokens: usage.thinkingTokens } }),
  };
}

function stopReason(reason: StopReason): string {
  switch (reason) {
    case "end-turn":
    case "other":
      return "end_turn";
    case "tool-use":
      return "tool_use";
    case "max-tokens":
      return "max_tokens";
    case "stop-sequence":
      return "stop_sequence";
    case "pause":
      return "pause_turn";
    case "refusal":
    case "content-filter":
      return "refusal";
    default:
      return unreachable(reason);
  }
}

/** The provider's name for a class of failure. */
function errorType(failure: FailureClass): string {
  switch (failure) {
    case "auth":
      return "authentication_error";
    case "quota":
      return "billing_error";
    case "rate-limit":
    case "budget":
      return "rate_limit_error";
    case "overloaded":
      return "overloaded_error";
    case "context-length":
    case "context-full":
    case "transcript":
    case "invalid-request":
    case "content-filter":
      return "invalid_request_error";
    case "network":
    case "cancelled":
    case "unknown":
      return "api_error";
    default:
      return unreachable(failure);
  }
}
