import { nativeField } from "../shared/native.ts";
import { unreachable } from "../../../core/base/assert.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { NativeExtras } from "../../../core/message/types.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { FailureClass, ModelFailure } from "../../../core/model/failure.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import { objectAt, parseJson } from "../shared/json-read.ts";
import type { SseEvent } from "../shared/sse.ts";
import { responsesApi } from "./api.ts";

/** An item that is being written. */
interface OpenItem {
  readonly type: "message" | "refusal" | "reasoning" | "function_call";
  /** Heddle's index of its block. */
  readonly index: number;
  /** The wire's number of the item. */
  readonly at: number;
  readonly text: string;
  /** The fields before the arguments, for a call. */
  readonly head: JsonObject;
}

/** The encoding state of one reply. */
export interface EncodeReplyState {
  readonly id: string;
  readonly model: string;
  readonly open: readonly OpenItem[];
  /** The finished items, by the wire's number. */
  readonly output: ReadonlyMap<number, JsonObject>;
  readonly nextAt: number;
}

export const startReply: EncodeReplyState = { id: "resp_0", model: "", open: [], output: new Map(), nextAt: 0 };

interface Written {
  readonly state: EncodeReplyState;
  readonly events: readonly SseEvent[];
}

/** Encodes one part as events of a Responses stream: the inverse of `decodeChunk`. */
export function encodeReplyPart(state: EncodeReplyState, part: StreamPart): Written {
  switch (part.type) {
    case "response-started": {
      const started = { ...state, id: part.id ?? state.id, model: part.model ?? state.model };
      const response = responseOf(started, "in_progress", {});
      return {
        state: started,
        events: [event("response.created", { response }), event("response.in_progress", { response })],
      };
    }
    case "text-start":
      return open(state, { type: "message", index: part.index });
    case "thinking-start":
      return open(state, { type: "reasoning", index: part.index });
    case "tool-call-start":
      return open(state, { type: "function_call", index: part.index, head: { call_id: part.id, name: part.name } });
    case "text-delta":
    case "thinking-delta":
    case "tool-call-delta":
      return grow(state, part.index, part.text);
    case "refusal": {
      const begun = state.open.some((item) => item.index === part.index)
        ? { state, events: [] }
        : open(state, { type: "refusal", index: part.index });
      const grown = grow(begun.state, part.index, part.text);
      return { state: grown.state, events: [...begun.events, ...grown.events] };
    }
    case "text-end":
    case "tool-call-end":
      return close(state, part.index, ownData(part.native));
    case "thinking-end":
      return close(state, part.index, {
        ...ownData(part.native),
        ...(part.signature === undefined ? {} : { encrypted_content: part.signature }),
      });
    case "opaque": {
      if (part.api !== responsesApi) return { state, events: [] };
      const at = state.nextAt;
      return {
        state: { ...state, nextAt: at + 1, output: new Map(state.output).set(at, part.raw) },
        events: [itemEvent("added", at, part.raw), itemEvent("done", at, part.raw)],
      };
    }
    case "finished": {
      // A refusal has no end event of its own.
      const refusals = state.open.filter((item) => item.type === "refusal");
      const events: SseEvent[] = [];
      let current = state;
      for (const { index } of refusals) {
        const closed = close(current, index, {});
        current = closed.state;
        events.push(...closed.events);
      }
      const incomplete = incompleteReason(part.reason);
      const fields = {
        usage: encodeUsage(part.usage),
        ...(incomplete === undefined ? {} : { incomplete_details: { reason: incomplete } }),
      };
      const status = incomplete === undefined ? "completed" : "incomplete";
      events.push(event(`response.${status}`, { response: responseOf(current, status, fields) }));
      return { state: current, events };
    }
    case "failed":
      return {
        state,
        events: [event("response.failed", { response: responseOf(state, "failed", { error: errorOf(part.failure) }) })],
      };
    default:
      return unreachable(part);
  }
}

/** Encodes a whole reply as one JSON body, from its parts. */
export function encodeReplyBody(parts: readonly StreamPart[]): JsonObject {
  let state = startReply;
  let last: unknown;
  for (const part of parts) {
    const written = encodeReplyPart(state, part);
    state = written.state;
    last = parseJson(written.events.at(-1)?.data ?? "") ?? last;
  }
  const failure = parts.find((part) => part.type === "failed");
  if (failure !== undefined) return { error: errorOf(failure.failure) };
  return objectAt(last, "response") ?? responseOf(state, "in_progress", {});
}

function open(
  state: EncodeReplyState,
  { type, index, head = {} }: Pick<OpenItem, "type" | "index"> & { readonly head?: JsonObject },
): Written {
  const item: OpenItem = { type, index, at: state.nextAt, text: "", head };
  const events = [itemEvent("added", item.at, wireItem(item, {}, "in_progress"))];
  if (type === "message" || type === "refusal")
    events.push(event("response.content_part.added", { ...placeOf(item), part: contentPart(item, {}) }));
  if (type === "reasoning")
    events.push(
      event("response.reasoning_summary_part.added", {
        ...placeOf(item),
        part: summaryPart(""),
      }),
    );
  return { state: { ...state, nextAt: item.at + 1, open: [...state.open, item] }, events };
}

function grow(state: EncodeReplyState, index: number, delta: string): Written {
  const item = state.open.find((entry) => entry.index === index);
  if (item === undefined) return { state, events: [] };
  const grown = state.open.map((entry) => (entry === item ? { ...item, text: item.text + delta } : entry));
  return { state: { ...state, open: grown }, events: [event(deltaType(item), { ...placeOf(item), delta })] };
}

function close(state: EncodeReplyState, index: number, data: JsonObject): Written {
  const item = state.open.find((entry) => entry.index === index);
  if (item === undefined) return { state, events: [] };
  const whole = wireItem(item, data, "completed");
  return {
    state: {
      ...state,
      open: state.open.filter((entry) => entry !== item),
      output: new Map(state.output).set(item.at, whole),
    },
    events: [
      event(deltaType(item).replace(/delta$/, "done"), {
        ...placeOf(item),
        [item.type === "function_call" ? "arguments" : item.type === "refusal" ? "refusal" : "text"]: item.text,
      }),
      itemEvent("done", item.at, whole),
    ],
  };
}

function deltaType(item: OpenItem): string {
  switch (item.type) {
    case "message":
      return "response.output_text.delta";
    case "refusal":
      return "response.refusal.delta";
    case "reasoning":
      return "response.reasoning_summary_text.delta";
    case "function_call":
      return "response.function_call_arguments.delta";
  }
}

function placeOf(item: OpenItem): JsonObject {
  const place = { item_id: itemId(item), output_index: item.at };
  if (item.type === "function_call") return place;
  return item.type === "reasoning" ? { ...place, summary_index: 0 } : { ...place, content_index: 0 };
}

function itemId(item: OpenItem): string {
  const prefix = { message: "msg", refusal: "msg", reasoning: "rs", function_call: "fc" }[item.type];
  return `${prefix}_${item.at}`;
}

function wireItem(item: OpenItem, data: JsonObject, status: "in_progress" | "completed"): JsonObject {
  const id = itemId(item);
  const {
    annotations: _annotations,
    logprobs: _logprobs,
    summary,
    custom: _custom,
    item: more,
    joins: _joins,
    ...own
  } = data;
  const rest = { ...own, ...(isJsonObject(more) ? more : {}) };
  switch (item.type) {
    case "message":
    case "refusal": {
      const content = status === "completed" ? [contentPart(item, data)] : [];
      return { id, type: "message", status, role: "assistant", content, ...rest };
    }
    case "reasoning": {
      // Text without a summary is the reasoning itself.
      const texts: readonly Json[] = Array.isArray(summary) ? summary : item.text === "" ? [] : [item.text];
      const content =
        texts.length === 0 && item.text !== "" ? [{ type: "reasoning_text", text: item.text }] : undefined;
      return {
        id,
        type: "reasoning",
        summary: texts.map(summaryPart),
        ...(content === undefined ? {} : { content }),
        ...rest,
      };
    }
    case "function_call":
      return { id, type: "function_call", status, ...item.head, arguments: item.text, ...rest };
  }
}

function contentPart(item: OpenItem, data: JsonObject): JsonObject {
  if (item.type === "refusal") return { type: "refusal", refusal: item.text };
  return {
    type: "output_text",
    text: item.text,
    annotations: data["annotations"] ?? [],
    ...nativeField(data, "logprobs"),
  };
}

function summaryPart(text: Json): JsonObject {
  return { type: "summary_text", text };
}

/** Extras of this format only, since its readers do not know the fields of others. */
function ownData(native: NativeExtras | undefined): JsonObject {
  return native?.api === responsesApi && isJsonObject(native.data) ? native.data : {};
}

function itemEvent(stage: "added" | "done", at: number, item: JsonObject): SseEvent {
  return event(`response.output_item.${stage}`, { output_index: at, item });
}

function event(type: string, fields: JsonObject): SseEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}

function responseOf(state: EncodeReplyState, status: string, fields: JsonObject): JsonObject {
  const output = [...state.output.entries()].toSorted(([a], [b]) => a - b).map(([, item]) => item);
  return {
    id: state.id,
    object: "response",
    created_at: 0,
    status,
    model: state.model,
    error: null,
    incomplete_details: null,
    output,
    ...fields,
  };
}

function encodeUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedInputTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.thinkingTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

function incompleteReason(reason: StopReason): string | undefined {
  switch (reason) {
    case "max-tokens":
      return "max_output_tokens";
    case "content-filter":
      return "content_filter";
    case "end-turn":
    case "tool-use":
    case "stop-sequence":
    case "pause":
    case "refusal":
    case "other":
      return undefined;
    default:
      return unreachable(reason);
  }
}

function errorOf(failure: ModelFailure): JsonObject {
  return { code: errorCode(failure.class), message: failure.message };
}

/** The format's code for a class of failure. */
function errorCode(failure: FailureClass): string {
  switch (failure) {
    case "auth":
      return "invalid_api_key";
    case "quota":
      return "insufficient_quota";
    case "rate-limit":
    case "budget":
      return "rate_limit_exceeded";
    case "overloaded":
      return "server_is_overloaded";
    case "context-length":
    case "context-full":
      return "context_length_exceeded";
    case "content-filter":
      return "content_filter";
    case "transcript":
    case "invalid-request":
      return "invalid_request_error";
    case "network":
    case "cancelled":
    case "unknown":
      return "server_error";
    default:
      return unreachable(failure);
  }
}
