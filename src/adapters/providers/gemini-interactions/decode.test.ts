import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/base/json.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../../core/model/assemble.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { startState } from "./decode-state.ts";
import { decodeChunk, decodeEnd, decodeReply } from "./decode.ts";

const origin = { api: "gemini-interactions", provider: "google", model: "m" };
const native = (data: JsonObject) => ({ api: "gemini-interactions", model: "m", data });

function streamed(events: readonly JsonObject[]): readonly StreamPart[] {
  const parts: StreamPart[] = [];
  let state = startState;
  for (const event of events) {
    const decoded = decodeChunk(state, { data: JSON.stringify(event) });
    ({ state } = decoded);
    parts.push(...decoded.parts);
  }
  return [...parts, ...decodeEnd(state)];
}

function messageOf(parts: readonly StreamPart[]): unknown {
  return assembledMessage(parts.reduce(assemble, emptyAssembly), origin);
}

const created = { interaction: { id: "", status: "in_progress", model: "m" }, event_type: "interaction.created" };
const start = (index: number, step: JsonObject): JsonObject => ({ index, step, event_type: "step.start" });
const delta = (index: number, piece: JsonObject): JsonObject => ({ index, delta: piece, event_type: "step.delta" });
const stop = (index: number): JsonObject => ({ index, event_type: "step.stop" });
const usage = {
  total_input_tokens: 53,
  total_output_tokens: 15,
  total_thought_tokens: 65,
  total_tool_use_tokens: 7,
  total_cached_tokens: 3,
};
const completed = (status: string): JsonObject => ({
  interaction: { id: "", status, model: "m", usage },
  event_type: "interaction.completed",
});

const call = { type: "function_call", id: "c1", name: "look", arguments: {} };
const thought = [
  start(0, { type: "thought" }),
  delta(0, { type: "thought_summary", content: { type: "text", text: "Hm." } }),
  delta(0, { type: "thought_signature", signature: "c2ln" }),
  stop(0),
];
const called = [
  created,
  ...thought,
  start(1, { ...call, signature: "" }),
  delta(1, { type: "arguments_delta", arguments: '{"at":"th' }),
  delta(1, { type: "arguments_delta", arguments: 'ere"}' }),
  stop(1),
  completed("requires_action"),
];

describe("20.11 an Interactions stream", () => {
  test("gives the thought with its signature, the call, and usage with thinking in the output", () => {
    const parts = streamed(called);
    expect(messageOf(parts)).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", text: "Hm.", signature: "c2ln" },
        { type: "tool-use", id: "c1", name: "look", parameters: { at: "there" }, rawParameters: '{"at":"there"}' },
      ],
      origin,
    });
    expect(parts.at(-1)).toEqual({
      type: "finished",
      reason: "tool-use",
      usage: { inputTokens: 60, outputTokens: 80, cachedInputTokens: 3, thinkingTokens: 65 },
    });
  });

  test("keeps the signature of a call, and gives pieces numbered as the thought before it to the call", () => {
    const parts = streamed([
      created,
      start(0, { type: "thought" }),
      start(1, { ...call, signature: "own" }),
      delta(0, { type: "arguments_delta", arguments: '{"at":1}' }),
      stop(1),
      stop(0),
      completed("requires_action"),
    ]);
    expect(messageOf(parts)).toMatchObject({
      content: [{ type: "tool-use", parameters: { at: 1 }, native: native({ signature: "own" }) }],
    });
  });

  test("keeps citations with their text, and server tools whole, in order of arrival", () => {
    const citation = { type: "url_citation", url: "https://example.org", title: "x", start_index: 0, end_index: 5 };
    const parts = streamed([
      created,
      start(0, { type: "model_output" }),
      delta(0, { type: "text", text: "Well," }),
      delta(0, { type: "text", text: " yes." }),
      delta(0, { type: "text_annotation_delta", annotations: [citation] }),
      stop(0),
      start(1, { type: "google_search_call", id: "s1", signature: "" }),
      delta(1, { type: "google_search_call", arguments: { queries: ["x"] } }),
      stop(1),
      completed("completed"),
    ]);
    expect(messageOf(parts)).toMatchObject({
      content: [
        { type: "text", text: "Well, yes.", native: native({ annotations: [citation] }) },
        {
          type: "opaque",
          raw: { type: "google_search_call", id: "s1", signature: "", arguments: { queries: ["x"] } },
        },
      ],
    });
    expect(parts.at(-1)).toMatchObject({ reason: "end-turn" });
  });

  test.each([
    ["a call that never ended", called.toSpliced(8, 1), "refused"],
    ["a call that began twice", called.toSpliced(6, 0, start(1, call)), "as sent"],
    ["a piece that came twice", called.toSpliced(6, 0, called[6] ?? {}), "refused"],
    ["a piece without its text", called.with(7, delta(1, { type: "arguments_delta", text: "x" })), "refused"],
    ["a piece after the end of its call", called.with(7, stop(1)).with(8, called[7] ?? {}), "failed"],
    ["arguments of another kind", called.with(5, start(1, { ...call, arguments: "{}" })), "refused"],
    ["arguments at the start and in pieces", called.with(5, start(1, { ...call, arguments: { at: 1 } })), "refused"],
    ["no end", called.slice(0, -1), "failed"],
  ] as const)("with %s is %s", (_what, events, verdict) => {
    const parts = streamed(events);
    const read = messageOf(parts);
    const failed = parts.at(-1)?.type === "failed";
    const refused = JSON.stringify(read).includes("argumentsError");
    expect(failed ? "failed" : refused ? "refused" : "as sent").toBe(verdict);
    if (verdict === "as sent") expect(read).toEqual(messageOf(streamed(called)));
  });

  test.each([
    [
      "an error event",
      { error: { message: "Deadline expired.", code: "gateway_timeout" }, event_type: "error" },
      { class: "network", retryable: true },
    ],
    ["a failed reply", completed("failed"), { class: "network" }],
    ["a used-up budget", completed("budget_exceeded"), { class: "quota", retryable: false }],
    ["a job in the background", completed("queued"), { class: "invalid-request", retryable: false }],
  ])("that ends with %s fails", (_what, last, failure) => {
    expect(streamed([created, last]).at(-1)).toMatchObject({ type: "failed", failure });
  });

  test("cut at the token limit runs no call that is still open", () => {
    const parts = streamed([...called.slice(0, 7), completed("incomplete")]);
    expect(parts.at(-1)).toMatchObject({ type: "finished", reason: "max-tokens" });
    expect(messageOf(parts)).not.toMatchObject({ content: [{}, { type: "tool-use", parameters: { at: "there" } }] });
  });

  test("says why the provider's filter held the reply back", () => {
    const parts = streamed([
      created,
      start(0, { type: "model_output", error: { code: 3, message: "Held back." } }),
      stop(0),
      completed("completed"),
    ]);
    expect(parts).toContainEqual({ type: "refusal", index: 0, text: "Held back." });
    expect(parts.at(-1)).toMatchObject({ reason: "content-filter" });
  });
});

test("a whole Interactions reply gives the same message as its stream", () => {
  const steps = [
    { type: "user_input", content: [{ type: "text", text: "repeated" }] },
    { type: "thought", signature: "c2ln", summary: [{ type: "text", text: "Hm." }] },
    { ...call, arguments: { at: "there" } },
  ];
  const parts = decodeReply({ id: "v1_x", status: "requires_action", model: "m", steps, usage });
  expect(messageOf(parts)).toEqual(messageOf(streamed(called)));
  expect(parts.at(-1)).toEqual(streamed(called).at(-1));
});

test("pictures between words keep their places in the step", () => {
  const picture = { type: "image", mime_type: "image/png", data: "aGk=" };
  const content = [{ type: "text", text: "a" }, picture, { type: "text", text: "b" }];
  const parts = decodeReply({ status: "completed", model: "m", steps: [{ type: "model_output", content }] });
  expect(messageOf(parts)).toMatchObject({
    content: [
      { type: "text", text: "a" },
      { type: "opaque", raw: picture },
      { type: "text", text: "b", native: native({ joins: true }) },
    ],
  });
});
