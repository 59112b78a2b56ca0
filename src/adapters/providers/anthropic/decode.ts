import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import { noUsage, type Usage } from "../../../core/message/usage.ts";
import { callEnded, callGrown, callStarted } from "../shared/call-parts.ts";
import type { Decoded } from "../shared/codec.ts";
import { brokenOff, failureOfEvent, isErrorBody, networkFailure, notJson } from "../shared/errors.ts";
import { byTemplate, noTemplate, type TemplateState } from "../shared/delta-template.ts";
import {
  fieldsWhere,
  listAt,
  numberAt,
  objectAt,
  parseJson,
  parseRepeatedJson,
  textAt,
  withoutKeys,
} from "../shared/json-read.ts";
import { nativeOf } from "../shared/native.ts";
import { responseStarted } from "../shared/response-started.ts";
import type { SseEvent } from "../shared/sse.ts";
import { anthropicApi } from "./api.ts";

/** An open block, under the number that the wire gave it. */
type OpenBlock =
  | {
      readonly type: "text";
      readonly index: number;
      readonly citations: readonly JsonObject[];
      readonly rest: JsonObject;
    }
  | { readonly type: "thinking"; readonly index: number; readonly signature: string; readonly rest: JsonObject }
  | { readonly type: "redacted"; readonly index: number; readonly data: string; readonly rest: JsonObject }
  | {
      readonly type: "tool-use";
      readonly index: number;
      /** Arguments that came with the block's start, as text; empty when they stream. */
      readonly input: string;
      readonly grown: boolean;
      readonly rest: JsonObject;
      /** A piece of the arguments could not be read. */
      readonly isBroken: boolean;
    }
  | { readonly type: "opaque"; readonly index: number; readonly raw: JsonObject; readonly json: string };

/** The decoding state of one reply. */
export interface DecodeState extends TemplateState {
  readonly model: string | undefined;
  /** Number of the next block, in order of arrival. */
  readonly nextIndex: number;
  readonly open: ReadonlyMap<number, OpenBlock>;
  /** The block whose JSON is longer by `tail` than `open` shows: events of one form follow each other. */
  readonly tailAt: number | undefined;
  readonly stopReason: string | undefined;
  readonly calledTools: boolean;
  /** What the API says of the whole reply besides its content. */
  readonly reply: JsonObject;
  readonly usage: Usage;
  readonly ended: boolean;
}

export const startState: DecodeState = {
  ...noTemplate,
  model: undefined,
  nextIndex: 0,
  open: new Map(),
  tailAt: undefined,
  stopReason: undefined,
  calledTools: false,
  reply: {},
  usage: noUsage,
  ended: false,
};

/** Reads one event of a streamed reply. Ignores unknown events and fields. */
export function decodeChunk(state: DecodeState, event: SseEvent): Decoded<DecodeState> {
  return state.ended ? { state, parts: [] } : byTemplate(state, event, readEvent);
}

function readEvent(state: DecodeState, event: SseEvent): Decoded<DecodeState> {
  if (event.data === "[DONE]") return ended(state, decodeEnd(state));
  const body = event.event === "content_block_delta" ? parseJson(event.data) : parseRepeatedJson(event.data);
  if (body === undefined)
    return ended(state, isComplete(state) ? [finished(state)] : [{ type: "failed", failure: notJson }]);
  const type = textAt(body, "type") ?? event.event;
  if (type === "error" || (type === undefined && isErrorBody(body))) {
    return ended(state, [{ type: "failed", failure: failureOfEvent(body) }]);
  }
  switch (type ?? "") {
    case "message_start":
      return messageStarted(state, objectAt(body, "message") ?? {});
    case "content_block_start":
      return blockStarted(state, numberAt(body, "index") ?? 0, objectAt(body, "content_block") ?? {});
    case "content_block_delta":
      return blockGrew(state, placeOf(state, body), objectAt(body, "delta") ?? {});
    case "content_block_stop":
      return blockEnded(state, placeOf(state, body));
    case "message_delta":
      return messageChanged(
        state,
        objectAt(body, "delta"),
        isJsonObject(body) ? withoutKeys(body, "type", "delta") : {},
      );
    case "message_stop":
      return ended(state, [finished(state)]);
    case "ping":
      return { state, parts: [] };
    default:
      return { state: withBrokenCalls(state), parts: [] };
  }
}

/** An event that cannot be read may hold a piece of the call that is open. */
function withBrokenCalls(state: DecodeState): DecodeState {
  const calls = [...state.open].filter(([, block]) => block.type === "tool-use");
  if (calls.length === 0) return state;
  const open = new Map(state.open);
  for (const [at, block] of calls) if (block.type === "tool-use") open.set(at, { ...block, isBroken: true });
  return { ...state, open };
}

/** The number of the block that an event is about; without one, the block that is open. */
function placeOf({ open }: DecodeState, body: unknown): number {
  return numberAt(body, "index") ?? [...open.keys()].at(-1) ?? 0;
}

/** Ends the stream. A reply with a stop reason and closed blocks is complete, even without its last event. */
export function decodeEnd(state: DecodeState): readonly StreamPart[] {
  if (state.ended) return [];
  return [isComplete(state) ? finished(state) : { type: "failed", failure: brokenOff }];
}

function isComplete(state: DecodeState): boolean {
  return state.stopReason !== undefined && state.open.size === 0;
}

/** Reads a reply that came as one JSON body. */
export function decodeReply(body: unknown): readonly StreamPart[] {
  if (!isJsonObject(body) || textAt(body, "type") !== "message" || !Array.isArray(body["content"])) {
    const failure = isErrorBody(body)
      ? failureOfEvent(body)
      : networkFailure("The provider's answer is not a reply of the Messages format.");
    return [{ type: "failed", failure }];
  }
  const read = messageStarted(startState, body);
  const end = messageChanged(read.state, body);
  return [...read.parts, ...end.parts, finished(end.state)];
}

function ended(state: DecodeState, parts: readonly StreamPart[]): Decoded<DecodeState> {
  return { state: { ...state, ended: true }, parts };
}

function finished(state: DecodeState): StreamPart {
  const { model, reply } = state;
  const said = Object.keys(reply).length === 0 ? undefined : { reply };
  return {
    type: "finished",
    reason: stopReason(state),
    usage: state.usage,
    ...nativeOf({ api: anthropicApi, model }, said),
  };
}

/** What an event says of the whole reply comes as objects; its other fields are about the event. */
function objectsIn(event: JsonObject): JsonObject {
  return fieldsWhere(event, (_key, value) => isJsonObject(value));
}

/** The fields of a reply that have a term of Heddle's; a field that is null says nothing. */
const replyTerms: ReadonlySet<string> = new Set(["id", "type", "role", "model", "content", "stop_reason", "usage"]);

function saidOfReply(fields: JsonObject | undefined): JsonObject {
  return fields === undefined ? {} : fieldsWhere(fields, (key, value) => value !== null && !replyTerms.has(key));
}

/** The message may start with content: whole replies do, and so do some continued replies. */
function messageStarted(state: DecodeState, message: JsonObject): Decoded<DecodeState> {
  const id = textAt(message, "id");
  const model = textAt(message, "model");
  const started: DecodeState = {
    ...state,
    model: model ?? state.model,
    // Block numbers restart with a message; a block that was open then never ends.
    open: new Map(),
    tail: undefined,
    tailAt: undefined,
    stopReason: textAt(message, "stop_reason") ?? state.stopReason,
    reply: { ...state.reply, ...saidOfReply(message) },
    usage: readUsage(objectAt(message, "usage"), state.usage),
  };
  const parts: StreamPart[] = [responseStarted({ id, model })];
  let current = started;
  for (const [at, block] of listAt(message, "content").entries()) {
    const opened = blockStarted(current, at, isJsonObject(block) ? block : {});
    const closed = blockEnded(opened.state, at);
    parts.push(...opened.parts, ...closed.parts);
    current = closed.state;
  }
  return { state: current, parts };
}

function messageChanged(
  state: DecodeState,
  delta: JsonObject | undefined,
  event: JsonObject = {},
): Decoded<DecodeState> {
  const reason = textAt(delta, "stop_reason");
  const changed: DecodeState = {
    ...state,
    stopReason: reason ?? state.stopReason,
    reply: { ...state.reply, ...saidOfReply(delta), ...saidOfReply(objectsIn(event)) },
    usage: readUsage(objectAt(event, "usage"), state.usage),
  };
  // A reply that is refused as a whole has no content; only this event gives the reason.
  const why = reason === "refusal" ? textAt(objectAt(delta, "stop_details"), "explanation") : undefined;
  if (why === undefined || why === "") return { state: changed, parts: [] };
  return {
    state: { ...changed, nextIndex: state.nextIndex + 1 },
    parts: [{ type: "refusal", index: state.nextIndex, text: why }],
  };
}

function blockStarted(before: DecodeState, at: number, block: JsonObject): Decoded<DecodeState> {
  const state = before.tailAt === at ? withoutTail(before) : before;
  const index = state.nextIndex;
  const next = (open: OpenBlock, calledTools = state.calledTools): DecodeState => ({
    ...state,
    nextIndex: index + 1,
    open: new Map(state.open).set(at, open),
    calledTools,
  });
  switch (textAt(block, "type") ?? "") {
    case "text": {
      const said = textAt(block, "text") ?? "";
      const citations = listAt(block, "citations").filter(isJsonObject);
      return {
        state: next({ type: "text", index, citations, rest: restOf(block, "text", "citations") }),
        parts: [
          { type: "text-start", index },
          ...(said === "" ? [] : [{ type: "text-delta" as const, index, text: said }]),
        ],
      };
    }
    case "thinking": {
      const thought = textAt(block, "thinking") ?? "";
      return {
        state: next({
          type: "thinking",
          index,
          signature: textAt(block, "signature") ?? "",
          rest: restOf(block, "thinking", "signature"),
        }),
        parts: [
          { type: "thinking-start", index },
          ...(thought === "" ? [] : [{ type: "thinking-delta" as const, index, text: thought }]),
        ],
      };
    }
    case "redacted_thinking":
      return {
        state: next({ type: "redacted", index, data: textAt(block, "data") ?? "", rest: restOf(block, "data") }),
        parts: [{ type: "thinking-start", index }],
      };
    case "tool_use": {
      const rest = restOf(block, "id", "name", "input");
      return {
        state: next(
          { type: "tool-use", index, input: wholeInput(block["input"]), grown: false, rest, isBroken: false },
          true,
        ),
        parts: [callStarted(index, { id: textAt(block, "id"), name: textAt(block, "name") ?? "" })],
      };
    }
    default:
      // Server tools, their results, compaction and future types are kept whole and not read.
      return { state: next({ type: "opaque", index, raw: block, json: "" }), parts: [] };
  }
}

/** The fields of a block that Heddle has no term for. */
function restOf(block: JsonObject, ...read: readonly string[]): JsonObject {
  return fieldsWhere(block, (key, value) => value !== null && key !== "type" && !read.includes(key));
}

/** Some servers write arguments as the JSON text of an object; other text counts as not yet filled. */
function wholeInput(input: Json | undefined): string {
  if (isJsonObject(input)) return Object.keys(input).length === 0 ? "" : JSON.stringify(input);
  return typeof input === "string" ? input : "";
}

function blockGrew(state: DecodeState, at: number, delta: JsonObject): Decoded<DecodeState> {
  const block = state.open.get(at);
  if (block === undefined) return { state, parts: [] };
  const grown = (open: OpenBlock): DecodeState => ({ ...state, open: new Map(state.open).set(at, open) });
  const { index } = block;
  switch (block.type) {
    case "text": {
      if (delta["type"] === "citations_delta") {
        const citation = objectAt(delta, "citation");
        return citation === undefined
          ? { state, parts: [] }
          : { state: grown({ ...block, citations: [...block.citations, citation] }), parts: [] };
      }
      const text = textAt(delta, "text");
      return { state, parts: text === undefined || text === "" ? [] : [{ type: "text-delta", index, text }] };
    }
    case "thinking": {
      const signature = textAt(delta, "signature");
      if (signature !== undefined)
        return { state: grown({ ...block, signature: block.signature + signature }), parts: [] };
      // Some servers write thinking as text deltas; the block's type decides.
      const text = textAt(delta, "thinking") ?? textAt(delta, "text");
      return { state, parts: text === undefined || text === "" ? [] : [{ type: "thinking-delta", index, text }] };
    }
    case "redacted":
      return { state: grown({ ...block, data: block.data + (textAt(delta, "data") ?? "") }), parts: [] };
    case "tool-use": {
      const text = textAt(delta, "partial_json");
      if (text === undefined) return { state: grown({ ...block, isBroken: true }), parts: [] };
      if (text === "") return { state, parts: [] };
      return {
        state: block.grown ? state : grown({ ...block, grown: true }),
        parts: callGrown(index, text),
      };
    }
    case "opaque": {
      const json = textAt(delta, "partial_json");
      if (json !== undefined) return { state: withTail(state, at, json), parts: [] };
      return { state: grown({ ...block, raw: grownRaw(block.raw, delta) }), parts: [] };
    }
  }
}

/** Adds JSON to a block that is kept whole; to the tail alone if the piece before was of this block too. */
function withTail(state: DecodeState, at: number, json: string): DecodeState {
  if (state.tailAt === at) return { ...state, tail: (state.tail ?? "") + json };
  return { ...withoutTail(state), tail: json, tailAt: at };
}

/** Returns the state with the tail written into its block. */
function withoutTail(state: DecodeState): DecodeState {
  const { tail = "", tailAt } = state;
  const block = tailAt === undefined ? undefined : state.open.get(tailAt);
  if (tailAt === undefined || block?.type !== "opaque") return state;
  const open = new Map(state.open).set(tailAt, { ...block, json: block.json + tail });
  return { ...state, open, tail: undefined, tailAt: undefined };
}

/** Adds the pieces of texts, such as those of a compaction; other fields replace. */
function grownRaw(raw: JsonObject, { type: _type, ...pieces }: JsonObject): JsonObject {
  const fields = Object.entries(pieces).map(([key, value]): readonly [string, Json] => {
    const before = raw[key];
    if (typeof before !== "string") return [key, value];
    return [key, typeof value === "string" ? before + value : before];
  });
  return { ...raw, ...Object.fromEntries(fields) };
}

function blockEnded(before: DecodeState, at: number): Decoded<DecodeState> {
  const state = before.tailAt === at ? withoutTail(before) : before;
  const block = state.open.get(at);
  if (block === undefined) return { state, parts: [] };
  const open = new Map(state.open);
  open.delete(at);
  return { state: { ...state, open }, parts: endParts(block, state.model) };
}

function endParts(block: OpenBlock, model: string | undefined): readonly StreamPart[] {
  const { index } = block;
  const source = { api: anthropicApi, model };
  switch (block.type) {
    case "text":
      return [
        {
          type: "text-end",
          index,
          ...nativeOf(source, {
            ...block.rest,
            ...(block.citations.length === 0 ? {} : { citations: block.citations }),
          }),
        },
      ];
    case "thinking":
      return [
        {
          type: "thinking-end",
          index,
          ...(block.signature === "" ? {} : { signature: block.signature }),
          ...nativeOf(source, block.rest),
        },
      ];
    case "redacted":
      return [{ type: "thinking-end", index, redacted: block.data, ...nativeOf(source, block.rest) }];
    case "tool-use": {
      const whole = !block.grown && block.input !== "";
      return [...(whole ? callGrown(index, block.input) : []), callEnded(index, source, block.rest, block.isBroken)];
    }
    case "opaque": {
      const input = block.json === "" ? undefined : parseJson(block.json);
      return [
        { type: "opaque", index, api: anthropicApi, raw: isJsonObject(input) ? { ...block.raw, input } : block.raw },
      ];
    }
  }
}

/** Input counts everything that was sent; the wire reports the cached part apart. Later counts replace earlier ones. */
function readUsage(usage: JsonObject | undefined, before: Usage): Usage {
  if (usage === undefined) return before;
  const read = numberAt(usage, "cache_read_input_tokens");
  const written = numberAt(usage, "cache_creation_input_tokens");
  const plain = numberAt(usage, "input_tokens");
  const summed = summedUsage(listAt(usage, "iterations"));
  const thinkingTokens = numberAt(objectAt(usage, "output_tokens_details"), "thinking_tokens") ?? before.thinkingTokens;
  if (summed !== undefined) return { ...summed, thinkingTokens };
  return {
    inputTokens:
      plain === undefined || (plain === 0 && before.inputTokens > 0)
        ? before.inputTokens
        : plain + (read ?? 0) + (written ?? 0),
    outputTokens: numberAt(usage, "output_tokens") ?? before.outputTokens,
    cachedInputTokens: read ?? before.cachedInputTokens,
    thinkingTokens,
    ...((written ?? before.cacheWriteTokens ?? 0) === 0
      ? {}
      : { cacheWriteTokens: written ?? before.cacheWriteTokens }),
  };
}

/** The sum over the requests that the server made for one reply; its own totals leave out compactions and advisors. */
function summedUsage(iterations: readonly unknown[]): Omit<Usage, "thinkingTokens"> | undefined {
  if (iterations.length === 0) return undefined;
  const sum = (key: string): number =>
    iterations.reduce<number>((total, each) => total + (numberAt(each, key) ?? 0), 0);
  const read = sum("cache_read_input_tokens");
  const written = sum("cache_creation_input_tokens");
  return {
    inputTokens: sum("input_tokens") + read + written,
    outputTokens: sum("output_tokens"),
    cachedInputTokens: read,
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
  };
}

function stopReason(state: DecodeState): StopReason {
  switch (state.stopReason) {
    case "end_turn":
      return "end-turn";
    case "tool_use":
      return "tool-use";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "max-tokens";
    case "stop_sequence":
      return "stop-sequence";
    case "pause_turn":
      return "pause";
    case "refusal":
      return "refusal";
    case undefined:
      return state.calledTools ? "tool-use" : "end-turn";
    default:
      return "other";
  }
}
