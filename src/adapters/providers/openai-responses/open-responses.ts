import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { listAt, numberAt, objectAt, parseJson, textAt } from "../shared/json-read.ts";
import type { SseEvent } from "../shared/sse.ts";
import { encodeReplyPart, startReply, type EncodeReplyState } from "./encode-reply.ts";

/**
 * Replies as the Open Responses specification has them (openresponses.org, 2026-04-24): whole resources with every required
 * field, and streams whose events are numbered, complete and name their items alike.
 */

/** What a server knows of a reply before its first part. */
export interface ServedReply {
  /** Letters and digits, unique at this server: ids of the response and its items are made of it. */
  readonly id: string;
  /** In UTC milliseconds. */
  readonly createdAt: number;
  /** The request's body, whose settings a response repeats. */
  readonly request: JsonObject;
}

/** The state of one reply that is served. */
export interface ServedState {
  readonly reply: ServedReply;
  readonly encoded: EncodeReplyState;
  /** The number of the next event. */
  readonly sequence: number;
}

/** Returns the state before the first part. */
export function startServed(reply: ServedReply): ServedState {
  return { reply, encoded: startReply, sequence: 0 };
}

/** Writes one part as events; `now` is the time in UTC milliseconds, which an end is stamped with. */
export function servePart(
  state: ServedState,
  part: StreamPart,
  now: number,
): { readonly state: ServedState; readonly events: readonly SseEvent[] } {
  const { reply } = state;
  const first = state.sequence === 0 && part.type !== "response-started" ? { type: "response-started" as const } : null;
  const begun = first === null ? { state: state.encoded, events: [] } : encodeReplyPart(state.encoded, first);
  const encoded = encodeReplyPart(begun.state, part);
  const places = [...encoded.state.output.keys()].toSorted((a, b) => a - b);
  const bodies = [...begun.events, ...encoded.events].map(({ data }) => parseJson(data)).filter(isJsonObject);
  const events = bodies
    .flatMap((body) => [...endedPart(body), body])
    .map((body) => completed(body, { reply, places, now }));
  return {
    state: { reply, encoded: encoded.state, sequence: state.sequence + events.length },
    events: events.map((body, at) => {
      const numbered = { ...body, sequence_number: state.sequence + at };
      return { event: textAt(body, "type") ?? "", data: JSON.stringify(numbered) };
    }),
  };
}

/** Writes a whole reply as one resource; one that failed says so in `status` and `error`. */
export function servedBody(reply: ServedReply, parts: readonly StreamPart[], now: number): JsonObject {
  let state = startServed(reply);
  let response: JsonObject | undefined;
  for (const part of parts) {
    const served = servePart(state, part, now);
    state = served.state;
    for (const { data } of served.events) response = objectAt(parseJson(data), "response") ?? response;
  }
  return response ?? resource({ status: "in_progress" }, { reply, places: [], now });
}

/** Before the end of an item, its part ends: the format's own encoder leaves that out, as readers need none of it. */
function endedPart(body: JsonObject): readonly JsonObject[] {
  const item = objectAt(body, "item");
  if (body["type"] !== "response.output_item.done" || item === undefined) return [];
  const place = { item_id: textAt(item, "id") ?? "", output_index: numberAt(body, "output_index") ?? 0 };
  const text = item["type"] === "message" ? listAt(item, "content").filter(isJsonObject) : [];
  const summary = item["type"] === "reasoning" ? listAt(item, "summary").filter(isJsonObject) : [];
  return [
    ...text.map((part, at) => ({ type: "response.content_part.done", ...place, content_index: at, part })),
    ...summary.slice(0, 1).map((part) => ({
      type: "response.reasoning_summary_part.done",
      ...place,
      summary_index: 0,
      part,
    })),
  ];
}

/** What every event of one part is completed by. */
interface Facts {
  readonly reply: ServedReply;
  /** The numbers of the response's finished items, in order. */
  readonly places: readonly number[];
  readonly now: number;
}

/** Gives an event's item its one id, and its response every required field. */
function completed(body: JsonObject, facts: Facts): JsonObject {
  const { reply } = facts;
  const response = objectAt(body, "response");
  const item = objectAt(body, "item");
  const at = numberAt(body, "output_index") ?? 0;
  const itemId = textAt(body, "item_id");
  return {
    ...body,
    ...(itemId === undefined ? {} : { item_id: `${itemId.split("_")[0] ?? "item"}_${reply.id}_${at}` }),
    ...(item === undefined ? {} : { item: named(item, reply, at) }),
    ...(response === undefined ? {} : { response: resource(response, facts) }),
  };
}

const prefixes: Readonly<Record<string, string>> = { message: "msg", reasoning: "rs", function_call: "fc" };

/** An item under the id that its events had; one of a provider's own kind keeps its own. */
function named(item: JsonObject, reply: ServedReply, at: number): JsonObject {
  const prefix = prefixes[textAt(item, "type") ?? ""];
  return prefix === undefined ? item : { ...item, id: `${prefix}_${reply.id}_${at}` };
}

/** A response with every field that the specification requires: what was asked for, else the default. */
function resource(response: JsonObject, { reply, places, now }: Facts): JsonObject {
  const { id, createdAt, request } = reply;
  const asked = (key: string, otherwise: Json): Json => request[key] ?? otherwise;
  const status = textAt(response, "status") ?? "in_progress";
  const output = listAt(response, "output").filter(isJsonObject);
  const reasoning = objectAt(request, "reasoning");
  const text = objectAt(request, "text");
  return {
    previous_response_id: asked("previous_response_id", null),
    instructions: asked("instructions", null),
    tools: listAt(request, "tools").filter(isJsonObject).map(toolOf),
    tool_choice: asked("tool_choice", "auto"),
    truncation: asked("truncation", "disabled"),
    parallel_tool_calls: asked("parallel_tool_calls", true),
    text: { ...text, format: objectAt(text, "format") ?? { type: "text" } },
    top_p: asked("top_p", 1),
    presence_penalty: asked("presence_penalty", 0),
    frequency_penalty: asked("frequency_penalty", 0),
    top_logprobs: asked("top_logprobs", 0),
    temperature: asked("temperature", 1),
    reasoning: { effort: reasoning?.["effort"] ?? null, summary: reasoning?.["summary"] ?? null },
    usage: null,
    max_output_tokens: asked("max_output_tokens", null),
    max_tool_calls: asked("max_tool_calls", null),
    // Nothing is kept for a later request, and none runs without its client.
    store: false,
    background: false,
    service_tier: asked("service_tier", "default"),
    metadata: asked("metadata", {}),
    safety_identifier: asked("safety_identifier", null),
    prompt_cache_key: asked("prompt_cache_key", null),
    ...response,
    id: `resp_${id}`,
    created_at: Math.floor(createdAt / 1_000),
    completed_at: status === "completed" ? Math.floor(now / 1_000) : null,
    model: textAt(response, "model") || (textAt(request, "model") ?? ""),
    output: output.map((item, index) => named(item, reply, places[index] ?? index)),
  };
}

function toolOf(tool: JsonObject): JsonObject {
  return tool["type"] === "function" ? { description: null, parameters: null, strict: null, ...tool } : tool;
}
