import { unreachable } from "../../../core/base/assert.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { NativeExtras } from "../../../core/message/types.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { FailureClass } from "../../../core/model/failure.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import { parseJson, textAt } from "../shared/json-read.ts";
import type { SseEvent } from "../shared/sse.ts";
import { fieldsOf } from "../shared/wire-shape.ts";
import { interactionsApi } from "./api.ts";
import { isContent } from "./step.ts";

/** A step that is being written. */
interface OpenStep {
  /** The wire's number of the step. */
  readonly at: number;
  readonly step: JsonObject;
  readonly text: string;
}

/** The encoding state of one reply. */
export interface EncodeReplyState {
  readonly id: string;
  readonly model: string;
  readonly nextAt: number;
  /** The open steps by Heddle's index of their block. */
  readonly open: ReadonlyMap<number, OpenStep>;
  /** The finished steps, by the wire's number. */
  readonly steps: ReadonlyMap<number, JsonObject>;
  readonly refusal: string;
}

export const startReply: EncodeReplyState = {
  id: "v1_0",
  model: "",
  nextAt: 0,
  open: new Map(),
  steps: new Map(),
  refusal: "",
};

interface Written {
  readonly state: EncodeReplyState;
  readonly events: readonly SseEvent[];
}

/** Encodes one part as events of an Interactions stream: the inverse of `decodeChunk`. */
export function encodeReplyPart(state: EncodeReplyState, part: StreamPart): Written {
  switch (part.type) {
    case "response-started": {
      const started = { ...state, id: part.id ?? state.id, model: part.model ?? state.model };
      return {
        state: started,
        events: [
          event("interaction.created", { interaction: interactionOf(started, "in_progress", {}) }),
          event("interaction.status_update", { interaction_id: started.id, status: "in_progress" }),
        ],
      };
    }
    case "text-start":
      return open(state, part.index, { type: "model_output" });
    case "thinking-start":
      return open(state, part.index, { type: "thought" });
    case "tool-call-start":
      return open(state, part.index, { type: "function_call", id: part.id, name: part.name, arguments: {} });
    case "text-delta":
      return grow(state, part.index, part.text, { type: "text", text: part.text });
    case "thinking-delta":
      return grow(state, part.index, part.text, {
        type: "thought_summary",
        content: { type: "text", text: part.text },
      });
    case "tool-call-delta":
      return grow(state, part.index, part.text, { type: "arguments_delta", arguments: part.text });
    case "text-end": {
      const { annotations, joins: _joins, step: _step, ...data } = ownData(part.native);
      const listed = Array.isArray(annotations) ? { annotations } : {};
      return close(state, part.index, {
        whole: ({ step, text }) => ({ ...step, content: [{ type: "text", text, ...listed, ...data }] }),
        deltas: annotations === undefined ? [] : [{ type: "text_annotation_delta", annotations }],
      });
    }
    case "thinking-end": {
      const { signature } = part;
      const kept = ownData(part.native)["summary"];
      return close(state, part.index, {
        whole: ({ step, text }) => ({
          ...step,
          ...(signature === undefined ? {} : { signature }),
          ...(Array.isArray(kept) ? { summary: kept } : text === "" ? {} : { summary: [{ type: "text", text }] }),
        }),
        deltas: signature === undefined ? [] : [{ type: "thought_signature", signature }],
      });
    }
    case "tool-call-end": {
      const own = ownData(part.native);
      const signature = textAt(own, "signature");
      return close(state, part.index, {
        whole: ({ step, text }) => ({
          ...step,
          arguments: argumentsOf(text),
          ...(signature === undefined ? {} : { signature }),
          ...fieldsOf(own, "step"),
        }),
        deltas: signature === undefined ? [] : [{ type: "thought_signature", signature }],
      });
    }
    case "refusal":
      return { state: { ...state, refusal: state.refusal + part.text }, events: [] };
    case "opaque":
      return part.api === interactionsApi ? wholeStep(state, part.raw) : { state, events: [] };
    case "finished":
      return ended(state, part.reason, part.usage);
    case "failed":
      return { state, events: [event("error", { error: errorOf(part.failure.class, part.failure.message) })] };
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
  const steps = [...state.steps.entries()].toSorted(([a], [b]) => a - b).map(([, step]) => step);
  if (isJsonObject(last) && last["error"] !== undefined) return { error: last["error"] };
  const interaction = isJsonObject(last) && isJsonObject(last["interaction"]) ? last["interaction"] : {};
  return { ...interactionOf(state, "in_progress", {}), ...interaction, steps };
}

function open(state: EncodeReplyState, index: number, step: JsonObject): Written {
  const at = state.nextAt;
  return {
    state: { ...state, nextAt: at + 1, open: new Map(state.open).set(index, { at, step, text: "" }) },
    events: [event("step.start", { index: at, step })],
  };
}

function grow(state: EncodeReplyState, index: number, text: string, delta: JsonObject): Written {
  const step = state.open.get(index);
  if (step === undefined) return { state, events: [] };
  return {
    state: { ...state, open: new Map(state.open).set(index, { ...step, text: step.text + text }) },
    events: [event("step.delta", { index: step.at, delta })],
  };
}

interface Closing {
  readonly whole: (step: OpenStep) => JsonObject;
  /** What comes before the end. */
  readonly deltas: readonly JsonObject[];
}

function close(state: EncodeReplyState, index: number, { whole, deltas }: Closing): Written {
  const step = state.open.get(index);
  if (step === undefined) return { state, events: [] };
  const rest = new Map(state.open);
  rest.delete(index);
  return {
    state: { ...state, open: rest, steps: new Map(state.steps).set(step.at, whole(step)) },
    events: [
      ...deltas.map((delta) => event("step.delta", { index: step.at, delta })),
      event("step.stop", { index: step.at }),
    ],
  };
}

/** A step of the API's own comes whole. */
function wholeStep(state: EncodeReplyState, raw: JsonObject): Written {
  const at = state.nextAt;
  const step: JsonObject = isContent(raw) ? { type: "model_output", content: [raw] } : raw;
  return {
    state: { ...state, nextAt: at + 1, steps: new Map(state.steps).set(at, step) },
    events: [event("step.start", { index: at, step }), event("step.stop", { index: at })],
  };
}

function ended(state: EncodeReplyState, reason: StopReason, usage: Usage): Written {
  const { refusal } = state;
  const refused = refusal === "" ? null : { type: "model_output", error: { code: 3, message: refusal } };
  const stated = refused === null ? { state, events: [] } : wholeStep(state, refused);
  const interaction = interactionOf(stated.state, statusOf(reason), { usage: encodeUsage(usage) });
  return { state: stated.state, events: [...stated.events, event("interaction.completed", { interaction })] };
}

/** Unreadable arguments cannot be expressed in a whole reply. */
function argumentsOf(text: string): Json {
  const read = parseJson(text === "" ? "{}" : text);
  return isJsonObject(read) ? read : text;
}

/** Extras of this format only, since its readers do not know the fields of others. */
function ownData(native: NativeExtras | undefined): JsonObject {
  return native?.api === interactionsApi ? native.data : {};
}

function event(type: string, fields: JsonObject): SseEvent {
  return { event: type, data: JSON.stringify({ ...fields, event_type: type }) };
}

function interactionOf({ id, model }: EncodeReplyState, status: string, fields: JsonObject): JsonObject {
  return { id, object: "interaction", status, model, ...fields };
}

function encodeUsage(usage: Usage): JsonObject {
  return {
    total_input_tokens: usage.inputTokens,
    total_output_tokens: usage.outputTokens - usage.thinkingTokens,
    total_thought_tokens: usage.thinkingTokens,
    total_cached_tokens: usage.cachedInputTokens,
    total_tool_use_tokens: 0,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

function statusOf(reason: StopReason): string {
  switch (reason) {
    case "max-tokens":
      return "incomplete";
    case "tool-use":
      return "requires_action";
    case "other":
      return "requires_continuation";
    case "end-turn":
    case "stop-sequence":
    case "pause":
    case "refusal":
    case "content-filter":
      return "completed";
    default:
      return unreachable(reason);
  }
}

function errorOf(failure: FailureClass, message: string): JsonObject {
  return { code: errorCode(failure), message };
}

/** The format's code for a class of failure. */
function errorCode(failure: FailureClass): string {
  switch (failure) {
    case "auth":
      return "permission_denied";
    case "quota":
      return "billing_disabled";
    case "rate-limit":
    case "budget":
      return "resource_exhausted";
    case "overloaded":
      return "unavailable";
    case "context-length":
    case "context-full":
    case "transcript":
    case "invalid-request":
    case "content-filter":
      return "invalid_request";
    case "network":
    case "cancelled":
    case "unknown":
      return "internal";
    default:
      return unreachable(failure);
  }
}
