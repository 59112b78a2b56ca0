import { unreachable } from "../../../core/base/assert.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import type { SseEvent } from "../shared/sse.ts";
import { chatApi } from "./api.ts";

/** The encoding state of one reply. */
export interface EncodeReplyState {
  readonly id: string;
  readonly model: string;
  /** Heddle's indexes of the calls so far; the wire numbers them from 0. */
  readonly calls: readonly number[];
}

export const startReply: EncodeReplyState = { id: "chatcmpl-0", model: "", calls: [] };

/** Encodes one part as events of a Chat Completions stream: the inverse of `decodeChunk`. */
export function encodeReplyPart(
  state: EncodeReplyState,
  part: StreamPart,
): { readonly state: EncodeReplyState; readonly events: readonly SseEvent[] } {
  const delta = (fields: JsonObject, finish: string | null = null): SseEvent =>
    chunk(state, { choices: [{ index: 0, delta: fields, finish_reason: finish }] });
  switch (part.type) {
    case "response-started": {
      const started = { ...state, id: part.id ?? state.id, model: part.model ?? state.model };
      return {
        state: started,
        events: [
          chunk(started, { choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] }),
        ],
      };
    }
    case "text-delta":
      return { state, events: [delta({ content: part.text })] };
    case "thinking-delta":
      return { state, events: [delta({ reasoning_content: part.text })] };
    case "refusal":
      return { state, events: [delta({ refusal: part.text })] };
    case "tool-call-start": {
      const call = {
        index: state.calls.length,
        id: part.id,
        type: "function",
        function: { name: part.name, arguments: "" },
      };
      return { state: { ...state, calls: [...state.calls, part.index] }, events: [delta({ tool_calls: [call] })] };
    }
    case "tool-call-delta": {
      const index = state.calls.indexOf(part.index);
      return { state, events: [delta({ tool_calls: [{ index, function: { arguments: part.text } }] })] };
    }
    case "text-end": {
      const annotations = part.native?.api === chatApi ? part.native.data["annotations"] : undefined;
      return { state, events: annotations === undefined ? [] : [delta({ annotations })] };
    }
    case "text-start":
    case "thinking-start":
    case "thinking-end":
    case "tool-call-end":
    case "opaque":
      return { state, events: [] };
    case "finished":
      return {
        state,
        events: [
          delta({}, finishReason(part.reason)),
          chunk(state, { choices: [], usage: encodeUsage(part.usage) }),
          { data: "[DONE]" },
        ],
      };
    case "failed":
      return { state, events: [{ data: JSON.stringify({ error: errorOf(part.failure) }) }] };
    default:
      return unreachable(part);
  }
}

/** Encodes a whole reply as one JSON body, from its parts. */
export function encodeReplyBody(parts: readonly StreamPart[]): JsonObject {
  let head = { id: startReply.id, model: "" };
  let content = "";
  let thinking = "";
  let refusal = "";
  const calls = new Map<
    number,
    { readonly id: string; readonly name: string; readonly json: string; readonly complete: boolean }
  >();
  let finish = "stop";
  let usage: JsonObject = {};
  for (const part of parts) {
    if (part.type === "response-started") head = { id: part.id ?? head.id, model: part.model ?? head.model };
    else if (part.type === "text-delta") content += part.text;
    else if (part.type === "thinking-delta") thinking += part.text;
    else if (part.type === "refusal") refusal += part.text;
    else if (part.type === "tool-call-start")
      calls.set(part.index, { id: part.id, name: part.name, json: "", complete: false });
    else if (part.type === "tool-call-delta") {
      const call = calls.get(part.index);
      if (call !== undefined) calls.set(part.index, { ...call, json: call.json + part.text });
    } else if (part.type === "tool-call-end") {
      const call = calls.get(part.index);
      if (call !== undefined) calls.set(part.index, { ...call, complete: true });
    } else if (part.type === "finished") {
      finish = finishReason(part.reason);
      usage = encodeUsage(part.usage);
    } else if (part.type === "failed") return { error: errorOf(part.failure) };
  }
  // A call that was never closed must not run.
  const toolCalls = [...calls.values()]
    .filter((call) => call.complete)
    .map(({ id, name, json }) => ({
      id,
      type: "function",
      function: { name, arguments: json === "" ? "{}" : json },
    }));
  const message = {
    role: "assistant",
    content: content === "" && toolCalls.length > 0 ? null : content,
    ...(thinking === "" ? {} : { reasoning_content: thinking }),
    ...(refusal === "" ? {} : { refusal }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  return {
    ...head,
    object: "chat.completion",
    created: 0,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage,
  };
}

function chunk(state: EncodeReplyState, fields: JsonObject): SseEvent {
  return {
    data: JSON.stringify({ id: state.id, object: "chat.completion.chunk", created: 0, model: state.model, ...fields }),
  };
}

function encodeUsage(usage: Usage): JsonObject {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: usage.thinkingTokens },
  };
}

function finishReason(reason: StopReason): string {
  switch (reason) {
    case "tool-use":
      return "tool_calls";
    case "max-tokens":
      return "length";
    case "content-filter":
      return "content_filter";
    case "end-turn":
    case "stop-sequence":
    case "pause":
    case "refusal":
    case "other":
      return "stop";
    default:
      return unreachable(reason);
  }
}

/** An error in this format. */
function errorOf(failure: ModelFailure): JsonObject {
  switch (failure.class) {
    case "auth":
      return { message: failure.message, type: "invalid_request_error", param: null, code: "invalid_api_key" };
    case "quota":
      return { message: failure.message, type: "insufficient_quota", param: null, code: "insufficient_quota" };
    case "rate-limit":
    case "budget":
      return { message: failure.message, type: "requests", param: null, code: "rate_limit_exceeded" };
    case "overloaded":
      return { message: failure.message, type: "server_error", param: null, code: "server_is_overloaded" };
    case "context-length":
    case "context-full":
      return {
        message: failure.message,
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      };
    case "content-filter":
      return { message: failure.message, type: "invalid_request_error", param: null, code: "content_filter" };
    case "transcript":
    case "invalid-request":
      return { message: failure.message, type: "invalid_request_error", param: null, code: null };
    case "network":
    case "cancelled":
    case "unknown":
      return { message: failure.message, type: "server_error", param: null, code: null };
    default:
      return unreachable(failure.class);
  }
}
