import { unreachable } from "../../../core/base/assert.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { noUsage, type Usage } from "../../../core/message/usage.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import type { Decoded } from "../codec.ts";
import { brokenOff, failureOfEvent, isErrorBody, networkFailure, notJson } from "../errors.ts";
import { grown, learnedFrom, matchTemplate, noTemplate, type TemplateState } from "../delta-template.ts";
import { listAt, numberAt, objectAt, parseJson, textAt } from "../json-read.ts";
import { nativeOf, type NativeSource } from "../native.ts";
import { responseStarted } from "../response-started.ts";
import type { SseEvent } from "../sse.ts";
import { responsesApi } from "./api.ts";
import { callExtras, readReasoning, reasoningSeparator, textExtras } from "./item.ts";

/** One content part of a message; it starts as a block with its first words. */
interface OpenPart {
  readonly type: "text" | "refusal";
  readonly index: number;
  readonly sent: string;
}

/** An item of the reply, under the place that the wire gives it: ids of items change on the way through some servers. */
type Item =
  | { readonly type: "message"; readonly parts: ReadonlyMap<number, OpenPart> }
  | {
      readonly type: "reasoning";
      readonly index: number;
      readonly sent: string;
      /** Kind and number of the part that grew last. */
      readonly part: string | undefined;
    }
  | { readonly type: "call"; readonly index: number; readonly sent: string }
  /** A call whose input is text, which is whole only at its end; and every item that is kept without being read. */
  | { readonly type: "unread" }
  | { readonly type: "done" };

/** Where the decoding of one reply stands. */
export interface DecodeState extends TemplateState {
  readonly model: string | undefined;
  readonly responded: boolean;
  /** Number of the next block, in order of arrival. */
  readonly nextIndex: number;
  readonly items: ReadonlyMap<number, Item>;
  /** The place whose text is longer by `tail` than `items` says: events of one form follow each other. */
  readonly growing: { readonly at: number; readonly part: number } | undefined;
  readonly calledTools: boolean;
  readonly refused: boolean;
  readonly usage: Usage;
  readonly ended: boolean;
}

export const startState: DecodeState = {
  ...noTemplate,
  growing: undefined,
  model: undefined,
  responded: false,
  nextIndex: 0,
  items: new Map(),
  calledTools: false,
  refused: false,
  usage: noUsage,
  ended: false,
};

/** Reads one event of a streamed reply. Unknown events and fields are passed over. */
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

/** Whether an event can be told by its name to add nothing: what it says stands in others too. */
function isPassedOver({ responded }: DecodeState, { event = "" }: SseEvent): boolean {
  if (event === "response.in_progress" || event === "response.queued") return responded;
  return /^response\.(?:content_part|reasoning_summary_part|code_interpreter_call|web_search_call|file_search_call)/.test(
    event,
  );
}

/** The state with the text of its growing place written into it. */
function settled(state: DecodeState): DecodeState {
  const { growing, tail } = state;
  if (growing === undefined || tail === undefined) return state;
  const { at, part } = growing;
  const text = tail;
  const item = state.items.get(at);
  const rest: DecodeState = { ...state, growing: undefined, tail: undefined };
  if (item === undefined) return rest;
  switch (item.type) {
    case "reasoning":
    case "call":
      return put(rest, at, { ...item, sent: item.sent + text });
    case "message": {
      const before = item.parts.get(part);
      if (before === undefined) return rest;
      const parts = new Map(item.parts).set(part, { ...before, sent: before.sent + text });
      return put(rest, at, { type: "message", parts });
    }
    case "done":
    case "unread":
      return rest;
    default:
      return unreachable(item);
  }
}

/** A piece of text that only makes its item longer teaches the form of the next one; anything else ends it. */
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
  // Some servers put it behind the end, some send it without one: it decides nothing.
  if (event.data.trim() === "[DONE]") return { state, parts: [] };
  const body = parseJson(event.data);
  if (body === undefined)
    return fail(state, event.event === "error" ? failureOfEvent({ message: event.data }) : notJson);
  const type = textAt(body, "type") ?? event.event ?? "";
  if (type === "error" || isErrorBody(body)) return fail(state, failureOfEvent(body));
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
      return callGrew(state, at, delta);
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

/** The format says when a reply is over, and why; a stream that ends without that was cut off. */
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
    state: { ...state, responded: true, model },
    parts: [responseStarted({ id, model })],
  };
}

function itemAdded(state: DecodeState, at: number, item: JsonObject): Decoded<DecodeState> {
  const index = state.nextIndex;
  switch (textAt(item, "type") ?? "") {
    case "message":
      return { state: put(state, at, { type: "message", parts: new Map() }), parts: [] };
    case "reasoning":
      return {
        state: put({ ...state, nextIndex: index + 1 }, at, { type: "reasoning", index, sent: "", part: undefined }),
        parts: [{ type: "thinking-start", index }],
      };
    case "function_call":
      return {
        state: put({ ...state, nextIndex: index + 1, calledTools: true }, at, { type: "call", index, sent: "" }),
        parts: [callStart(item, index)],
      };
    default:
      return { state: put(state, at, { type: "unread" }), parts: [] };
  }
}

function callStart(item: JsonObject, index: number): StreamPart {
  const id = textAt(item, "call_id") ?? textAt(item, "id") ?? `call_${index}`;
  return { type: "tool-call-start", index, id, name: textAt(item, "name") ?? "" };
}

function partGrew(
  state: DecodeState,
  at: number,
  grown: { readonly part: number; readonly type: OpenPart["type"]; readonly text: string },
): Decoded<DecodeState> {
  const item = state.items.get(at) ?? { type: "message", parts: new Map<number, OpenPart>() };
  if (item.type !== "message" || grown.text === "") return { state, parts: [] };
  const before = item.parts.get(grown.part);
  const part = before ?? { type: grown.type, index: state.nextIndex, sent: "" };
  const { index, type } = part;
  const parts = new Map(item.parts).set(grown.part, { ...part, sent: part.sent + grown.text });
  const fresh = before === undefined;
  return {
    state: {
      ...put(state, at, { type: "message", parts }),
      nextIndex: fresh ? index + 1 : state.nextIndex,
      refused: state.refused || type === "refusal",
    },
    parts:
      type === "refusal"
        ? [{ type: "refusal", index, text: grown.text }]
        : [...(fresh ? [{ type: "text-start" as const, index }] : []), { type: "text-delta", index, text: grown.text }],
  };
}

/** The whole text of a part, for servers that send it without pieces. */
function partSaid(
  state: DecodeState,
  at: number,
  said: { readonly part: number; readonly text: string },
): Decoded<DecodeState> {
  const item = state.items.get(at);
  const isFirst = item === undefined || (item.type === "message" && item.parts.size === 0);
  return isFirst ? partGrew(state, at, { ...said, type: "text" }) : { state, parts: [] };
}

/** The whole arguments of a call, for such servers. */
function callSaid(state: DecodeState, at: number, text: string): Decoded<DecodeState> {
  const item = state.items.get(at);
  return item?.type === "call" && item.sent === "" ? callGrew(state, at, text) : { state, parts: [] };
}

function reasoningGrew(
  state: DecodeState,
  at: number,
  grown: { readonly part: string; readonly text: string },
): Decoded<DecodeState> {
  const added = state.items.has(at) ? { state, parts: [] } : itemAdded(state, at, { type: "reasoning" });
  const item = added.state.items.get(at);
  if (item?.type !== "reasoning" || grown.text === "") return added;
  const text = (item.part === undefined || item.part === grown.part ? "" : reasoningSeparator) + grown.text;
  return {
    state: put(added.state, at, { ...item, sent: item.sent + text, part: grown.part }),
    parts: [...added.parts, { type: "thinking-delta", index: item.index, text }],
  };
}

function callGrew(state: DecodeState, at: number, text: string): Decoded<DecodeState> {
  const item = state.items.get(at);
  if (item?.type !== "call" || text === "") return { state, parts: [] };
  return {
    state: put(state, at, { ...item, sent: item.sent + text }),
    parts: [{ type: "tool-call-delta", index: item.index, text }],
  };
}

/** Closes an item with what its whole form says, so that a reply without pieces, or with some of them lost, is read too. */
function itemDone(state: DecodeState, at: number, item: JsonObject): Decoded<DecodeState> {
  const known = state.items.get(at);
  if (known?.type === "done") return { state, parts: [] };
  const type = textAt(item, "type") ?? "";
  const opened = known === undefined ? itemAdded(state, at, item) : { state, parts: [] };
  const open = opened.state.items.get(at);
  const closed = ((): Decoded<DecodeState> => {
    if (open?.type === "message") return messageDone(opened.state, at, item);
    if (open?.type === "reasoning") return reasoningDone(opened.state, open, item);
    if (open?.type === "call") return callDone(opened.state, open, item);
    return type === "custom_tool_call" ? customCallDone(opened.state, item) : opaqueDone(opened.state, item);
  })();
  return { state: put(closed.state, at, { type: "done" }), parts: [...opened.parts, ...closed.parts] };
}

function messageDone(state: DecodeState, at: number, item: JsonObject): Decoded<DecodeState> {
  const parts: StreamPart[] = [];
  let current = state;
  const content = listAt(item, "content");
  // Servers that count a reply's reasoning number its text from 1.
  const before = current.items.get(at);
  const numbers = before?.type === "message" ? [...before.parts.keys()] : [];
  const shift = Math.max(0, ...numbers.map((part) => part - content.length + 1));
  for (const [place, whole] of content.entries()) {
    const part = place + shift;
    const type = textAt(whole, "refusal") === undefined ? "text" : "refusal";
    const rest = restOf(openPart(current, at, part)?.sent ?? "", textAt(whole, type) ?? "");
    const grown = partGrew(current, at, { part, type, text: rest });
    current = grown.state;
    parts.push(...grown.parts);
  }
  const open = current.items.get(at);
  for (const [part, { type, index }] of open?.type === "message" ? open.parts : []) {
    if (type === "refusal") continue;
    const extras = textExtras(textAt(item, "phase"), listAt(content[part - shift], "annotations"));
    parts.push({ type: "text-end", index, ...nativeOf(sourceOf(state), extras) });
  }
  return { state: current, parts };
}

function openPart(state: DecodeState, at: number, part: number): OpenPart | undefined {
  const item = state.items.get(at);
  return item?.type === "message" ? item.parts.get(part) : undefined;
}

function reasoningDone(
  state: DecodeState,
  open: Extract<Item, { readonly type: "reasoning" }>,
  item: JsonObject,
): Decoded<DecodeState> {
  const { text, signature, data } = readReasoning(item);
  const rest = restOf(open.sent, text);
  const { index } = open;
  return {
    state,
    parts: [
      ...(rest === "" ? [] : [{ type: "thinking-delta" as const, index, text: rest }]),
      {
        type: "thinking-end",
        index,
        ...(signature === undefined ? {} : { signature }),
        ...nativeOf(sourceOf(state), data),
      },
    ],
  };
}

function callDone(
  state: DecodeState,
  open: Extract<Item, { readonly type: "call" }>,
  item: JsonObject,
): Decoded<DecodeState> {
  const rest = restOf(open.sent, textAt(item, "arguments") ?? "");
  const { index } = open;
  return {
    state,
    parts: [
      ...(rest === "" ? [] : [{ type: "tool-call-delta" as const, index, text: rest }]),
      { type: "tool-call-end", index, ...nativeOf(sourceOf(state), callExtras(item)) },
    ],
  };
}

/** A call with plain text for an input is a call with one argument. */
function customCallDone(state: DecodeState, item: JsonObject): Decoded<DecodeState> {
  const index = state.nextIndex;
  return {
    state: { ...state, nextIndex: index + 1, calledTools: true },
    parts: [
      callStart(item, index),
      { type: "tool-call-delta", index, text: JSON.stringify({ input: textAt(item, "input") ?? "" }) },
      { type: "tool-call-end", index, ...nativeOf(sourceOf(state), callExtras(item)) },
    ],
  };
}

function opaqueDone(state: DecodeState, item: JsonObject): Decoded<DecodeState> {
  if (item["type"] === undefined) return { state, parts: [] };
  const index = state.nextIndex;
  return {
    state: { ...state, nextIndex: index + 1 },
    parts: [{ type: "opaque", index, api: responsesApi, raw: item }],
  };
}

function sourceOf({ model }: DecodeState): NativeSource {
  return { api: responsesApi, model };
}

/** What of a whole text has not been sent. What was sent stands: it cannot be taken back. */
function restOf(sent: string, whole: string): string {
  return whole.startsWith(sent) ? whole.slice(sent.length) : "";
}

function put(state: DecodeState, at: number, item: Item): DecodeState {
  return { ...state, items: new Map(state.items).set(at, item) };
}

function finish(state: DecodeState, response: JsonObject, status: string): Decoded<DecodeState> {
  const begun = responded({ ...state, usage: readUsage(objectAt(response, "usage")) }, response);
  if (status === "failed" || status === "cancelled" || status === "queued" || status === "in_progress") {
    const failed = fail(begun.state, failureOf(response, status));
    return { state: failed.state, parts: [...begun.parts, ...failed.parts] };
  }
  const closed = closeItems(begun.state, response, status);
  const reason = stopReason(closed.state, textAt(objectAt(response, "incomplete_details"), "reason"));
  return {
    state: { ...closed.state, ended: true },
    parts: [...begun.parts, ...closed.parts, { type: "finished", reason, usage: closed.state.usage }],
  };
}

/** The whole reply comes with its end; what it adds to the pieces is taken from there. */
function closeItems(state: DecodeState, response: JsonObject, status: string): Decoded<DecodeState> {
  const parts: StreamPart[] = [];
  let current = state;
  const close = (at: number, item: JsonObject): void => {
    // A call in a reply that was cut short may be cut short itself, and must not run.
    if (status === "incomplete" && textAt(item, "type") === "function_call" && item["status"] !== "completed") return;
    const done = itemDone(current, at, item);
    current = done.state;
    parts.push(...done.parts);
  };
  for (const [at, item] of listAt(response, "output").entries()) {
    const open = current.items.get(at);
    if (isJsonObject(item) && (open === undefined || kindOf(open) === textAt(item, "type"))) close(at, item);
  }
  // Servers that send no whole form of an item leave it open.
  for (const [at, open] of current.items) {
    const type = kindOf(open);
    if (type !== undefined) close(at, { type });
  }
  return { state: current, parts };
}

/** The wire's name for an item that pieces go to. */
function kindOf(item: Item): string | undefined {
  switch (item.type) {
    case "message":
    case "reasoning":
      return item.type;
    case "call":
      return "function_call";
    case "unread":
    case "done":
      return undefined;
  }
}

function failureOf(response: JsonObject, status: string): ModelFailure {
  const error = objectAt(response, "error");
  if (error !== undefined) return failureOfEvent({ error });
  return networkFailure(`The provider left the reply unfinished (${status}).`);
}

function fail(state: DecodeState, failure: ModelFailure): Decoded<DecodeState> {
  return { state: { ...state, ended: true }, parts: [{ type: "failed", failure }] };
}

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
