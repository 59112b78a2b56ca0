import fc from "fast-check";
import * as v from "valibot";
import { expect, test } from "vitest";
import { decodeChunk, decodeEnd, decodeReply } from "../../src/adapters/providers/openai-responses/decode.ts";
import { startState } from "../../src/adapters/providers/openai-responses/decode-state.ts";
import { servedBody, servePart, startServed } from "../../src/adapters/providers/openai-responses/open-responses.ts";
import type { SseEvent } from "../../src/adapters/providers/shared/sse.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { textOf } from "../../src/core/message/content.ts";
import { noUsage } from "../../src/core/message/usage.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { scaled } from "../scale.ts";
import { serveOpenResponses } from "./open-responses-server.ts";

// What openresponses.org (2026-04-24) requires of a response and of the events of its stream, as far as a model's reply has it.

const whole = v.pipe(v.number(), v.integer());
const nullable = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const part = v.variant("type", [
  v.object({ type: v.literal("output_text"), text: v.string(), annotations: v.array(v.object({ url: v.string() })) }),
  v.object({ type: v.literal("refusal"), refusal: v.string() }),
  v.object({ type: v.literal("summary_text"), text: v.string() }),
  v.object({ type: v.literal("reasoning_text"), text: v.string() }),
]);
const status = v.picklist(["in_progress", "completed", "incomplete"]);
const item = v.variant("type", [
  v.object({
    type: v.literal("message"),
    id: v.string(),
    status,
    role: v.literal("assistant"),
    content: v.array(part),
  }),
  v.object({
    type: v.literal("function_call"),
    id: v.string(),
    call_id: v.string(),
    name: v.string(),
    arguments: v.string(),
    status,
  }),
  v.object({ type: v.literal("reasoning"), id: v.string(), summary: v.array(part) }),
]);
const usage = v.object({
  input_tokens: whole,
  output_tokens: whole,
  total_tokens: whole,
  input_tokens_details: v.object({ cached_tokens: whole }),
  output_tokens_details: v.object({ reasoning_tokens: whole }),
});
const tool = v.object({
  type: v.literal("function"),
  name: v.string(),
  description: nullable(v.string()),
  parameters: nullable(v.looseObject({})),
  strict: nullable(v.boolean()),
});
const response = v.object({
  id: v.string(),
  object: v.literal("response"),
  created_at: whole,
  completed_at: nullable(whole),
  status: v.picklist(["queued", "in_progress", "completed", "incomplete", "failed"]),
  incomplete_details: nullable(v.object({ reason: v.string() })),
  model: v.string(),
  previous_response_id: nullable(v.string()),
  instructions: nullable(v.string()),
  output: v.array(item),
  error: nullable(v.object({ code: v.string(), message: v.string() })),
  tools: v.array(tool),
  tool_choice: v.union([v.picklist(["none", "auto", "required"]), v.looseObject({ type: v.string() })]),
  truncation: v.picklist(["auto", "disabled"]),
  parallel_tool_calls: v.boolean(),
  text: v.looseObject({ format: v.looseObject({ type: v.string() }) }),
  top_p: v.number(),
  presence_penalty: v.number(),
  frequency_penalty: v.number(),
  top_logprobs: whole,
  temperature: v.number(),
  reasoning: v.object({ effort: nullable(v.string()), summary: nullable(v.string()) }),
  usage: nullable(usage),
  max_output_tokens: nullable(whole),
  max_tool_calls: nullable(whole),
  store: v.boolean(),
  background: v.boolean(),
  service_tier: v.string(),
  metadata: v.looseObject({}),
  safety_identifier: nullable(v.string()),
  prompt_cache_key: nullable(v.string()),
});
const inItem = { sequence_number: whole, output_index: whole, item_id: v.string() };
const at = { ...inItem, content_index: whole };
const inSummary = { ...inItem, summary_index: whole };
const ofResponse = { sequence_number: whole, response };
const event = v.variant("type", [
  ...["created", "in_progress", "completed", "incomplete", "failed"].map((name) =>
    v.object({ type: v.literal(`response.${name}`), ...ofResponse }),
  ),
  v.object({ type: v.literal("response.output_item.added"), sequence_number: whole, output_index: whole, item }),
  v.object({ type: v.literal("response.output_item.done"), sequence_number: whole, output_index: whole, item }),
  v.object({ type: v.literal("response.content_part.added"), ...at, part }),
  v.object({ type: v.literal("response.content_part.done"), ...at, part }),
  v.object({ type: v.literal("response.output_text.delta"), ...at, delta: v.string() }),
  v.object({ type: v.literal("response.output_text.done"), ...at, text: v.string() }),
  v.object({ type: v.literal("response.refusal.delta"), ...at, delta: v.string() }),
  v.object({ type: v.literal("response.refusal.done"), ...at, refusal: v.string() }),
  v.object({ type: v.literal("response.function_call_arguments.delta"), ...inItem, delta: v.string() }),
  v.object({ type: v.literal("response.function_call_arguments.done"), ...inItem, arguments: v.string() }),
  v.object({ type: v.literal("response.reasoning_summary_part.added"), ...inSummary, part }),
  v.object({ type: v.literal("response.reasoning_summary_part.done"), ...inSummary, part }),
  v.object({ type: v.literal("response.reasoning_summary_text.delta"), ...inSummary, delta: v.string() }),
  v.object({ type: v.literal("response.reasoning_summary_text.done"), ...inSummary, text: v.string() }),
]);

const served = { id: "r", createdAt: 1_000, request: { model: "m" } };

function streamOf(parts: readonly StreamPart[]): readonly SseEvent[] {
  let state = startServed(served);
  return parts.flatMap((each) => {
    const written = servePart(state, each, 2_000);
    state = written.state;
    return written.events;
  });
}

/** Checks each event by its schema, their numbers, and that each item keeps its id; returns the last event's response. */
function checked(bodies: readonly unknown[]): JsonObject {
  for (const body of bodies) v.parse(event, body);
  const events = bodies as readonly (JsonObject & { readonly type: string; readonly output_index?: number })[];
  expect(events.map((each) => each["sequence_number"])).toEqual(events.map((_, index) => index));
  expect(events[0]?.["type"]).toBe("response.created");
  expect(events.filter(({ type }) => /^response\.(?:completed|incomplete|failed)$/u.test(type))).toHaveLength(1);
  const ids = new Map<number, Set<unknown>>();
  for (const { output_index: place, item_id: id, item: each } of events) {
    if (place === undefined) continue;
    ids.set(place, (ids.get(place) ?? new Set()).add(id ?? (each as JsonObject)["id"]));
  }
  const last = events.at(-1)?.["response"] as JsonObject;
  const kept = (last["output"] as JsonObject[]).map((each) => each["id"]);
  expect([...ids.values()].map((each) => each.size)).toEqual([...ids].map(() => 1));
  if (last["status"] !== "failed") expect([...ids.values()].flatMap((each) => [...each])).toEqual(kept);
  return last;
}

const block = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ type: fc.constant("thinking" as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ type: fc.constant("tool-call" as const), text: fc.json().map((json) => `{"a":${json}}`) }),
);
const end = fc.oneof(
  fc.constantFrom("end-turn" as const, "max-tokens" as const, "content-filter" as const).map((reason): StreamPart => ({
    type: "finished",
    reason,
    usage: { ...noUsage, inputTokens: 12, outputTokens: 5, cachedInputTokens: 3, thinkingTokens: 2 },
  })),
  fc.constant<StreamPart>({ type: "failed", failure: { class: "overloaded", message: "Too busy.", retryable: true } }),
);
const replies = fc
  .tuple(fc.array(block, { maxLength: 5 }), end)
  .map(([blocks, last]): readonly StreamPart[] => [
    ...blocks.flatMap(({ type, text }, index): StreamPart[] => [
      type === "tool-call"
        ? { type: "tool-call-start", index, id: `c${index}`, name: "look" }
        : { type: `${type}-start`, index },
      { type: `${type}-delta`, index, text: text.slice(0, 2) },
      { type: `${type}-delta`, index, text: text.slice(2) },
      { type: `${type}-end`, index, ...(type === "thinking" ? { signature: "s" } : {}) },
    ]),
    last,
  ]);

/** A reply as its blocks, without what an API adds to them. */
function meant(parts: readonly StreamPart[]): unknown {
  const assembly = parts.reduce(assemble, emptyAssembly);
  const message = assembledMessage(assembly, { api: "a", provider: "p", model: "m" });
  const { end: ended } = assembly;
  const blocks = message?.content.map((each) => ({ ...each, native: undefined, rawParameters: undefined })) ?? [];
  return {
    blocks,
    end: ended.type === "finished" ? [ended.usage.inputTokens, ended.usage.thinkingTokens] : ended.type,
  };
}

test("20.15 every reply is a valid stream of Open Responses and a valid resource, and comes back the same from both", () => {
  fc.assert(
    fc.property(replies, (parts) => {
      const events = streamOf(parts);
      const last = checked(events.map(({ data }) => JSON.parse(data) as unknown));
      const body = servedBody(served, parts, 2_000);
      v.parse(response, body);
      expect(body).toEqual(last);
      let state = startState;
      const read: StreamPart[] = [];
      for (const each of events) {
        const decoded = decodeChunk(state, each);
        state = decoded.state;
        read.push(...decoded.parts);
      }
      expect(meant([...read, ...decodeEnd(state)])).toEqual(meant(parts));
      // A whole body that failed is read as its failure alone.
      const isFailed = parts.at(-1)?.type === "failed";
      expect(meant(decodeReply(body))).toEqual(isFailed ? { blocks: [], end: "failed" } : meant(parts));
    }),
    { numRuns: scaled(150) },
  );
});

function scripted({ messages, tools }: ModelRequest): readonly StreamPart[] {
  const said = messages.map((message) => textOf(message)).join(" ");
  const hasImage = messages.some(({ content }) => content.some(({ type }) => type === "image"));
  const finished: StreamPart = { type: "finished", reason: "end-turn", usage: noUsage };
  if (said.includes("Refuse.")) return [{ type: "refusal", index: 0, text: "I would rather not." }, finished];
  if (tools.length > 0)
    return [0, 1]
      .flatMap((index): StreamPart[] => [
        { type: "tool-call-start", index, id: `call_${index}`, name: tools[0]?.name ?? "" },
        { type: "tool-call-delta", index, text: '{"location":"Oslo"}' },
        { type: "tool-call-end", index },
      ])
      .concat(finished);
  const text = hasImage ? "I see a heart." : `I was told: ${said}`;
  return [
    { type: "text-start", index: 0 },
    { type: "text-delta", index: 0, text },
    { type: "text-end", index: 0 },
    finished,
  ];
}

const user = (content: unknown) => ({ type: "message", role: "user", content });
const image = { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" };
const weather = { type: "function", name: "get_weather", parameters: { type: "object", properties: {} } };

test.each<[string, object, string]>([
  ["a text", { input: [user("Say hello.")] }, "Say hello."],
  [
    "a system prompt",
    { input: [{ type: "message", role: "system", content: "Be a pirate." }, user("Hi.")] },
    "Be a pirate. Hi.",
  ],
  ["two calls at once", { input: [user("Weather?")], tools: [weather] }, '"call_id":"call_1"'],
  ["an image", { input: [user([{ type: "input_text", text: "What is it?" }, image])] }, "I see a heart."],
  [
    "earlier turns, with their phase",
    {
      input: [
        user("I am Ada."),
        { type: "message", role: "assistant", phase: "final_answer", content: "Hello Ada." },
        user("Who?"),
      ],
    },
    "I am Ada. Hello Ada. Who?",
  ],
  ["a refusal", { input: [user("Refuse.")] }, '"refusal":"I would rather not."'],
])(
  "20.15 a client of Open Responses that sends %s gets a valid response, whole and as a stream",
  async (_what, asked, expected) => {
    const server = await serveOpenResponses(scripted);
    const post = (more: object) =>
      fetch(`${server.url}/responses`, { method: "POST", body: JSON.stringify({ ...asked, ...more }) });
    const body = v.parse(response, await (await post({ model: "m" })).json());
    expect([body.status, JSON.stringify(body.output).includes(expected)]).toEqual(["completed", true]);
    const text = await (await post({ model: "m", stream: true })).text();
    const data = text.split("\n").filter((line) => line.startsWith("data: {"));
    const last = checked(data.map((line) => JSON.parse(line.slice(6)) as unknown));
    expect([last["status"], JSON.stringify(last["output"]).includes(expected)]).toEqual(["completed", true]);
    expect((await post({})).status).toBe(400);
    await server.close();
  },
);
