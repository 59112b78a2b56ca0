import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/base/json.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../../core/model/assemble.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { startState } from "./decode-state.ts";
import { decodeChunk, decodeEnd, decodeReply } from "./decode.ts";

const origin = { api: "openai-responses", provider: "test", model: "m" };

function stream(...events: readonly JsonObject[]): readonly StreamPart[] {
  let state = startState;
  const parts: StreamPart[] = [];
  for (const event of events) {
    const read = decodeChunk(state, { data: JSON.stringify(event) });
    state = read.state;
    parts.push(...read.parts);
  }
  return [...parts, ...decodeEnd(state)];
}

function content(parts: readonly StreamPart[]): unknown {
  return assembledMessage(parts.reduce(assemble, emptyAssembly), origin)?.content;
}

const added = (at: number, item: JsonObject): JsonObject => ({
  type: "response.output_item.added",
  output_index: at,
  item,
});
const done = (at: number, item: JsonObject): JsonObject => ({
  type: "response.output_item.done",
  output_index: at,
  item,
});
const completed = (...output: readonly JsonObject[]): JsonObject => ({
  type: "response.completed",
  response: { output },
});
const words = (at: number, delta: string, id: string): JsonObject => {
  return { type: "response.output_text.delta", output_index: at, content_index: 0, item_id: id, delta };
};
const call = { type: "function_call", call_id: "c", name: "look", arguments: '{"at":1}' };
const half = { ...call, arguments: '{"at"', status: "incomplete" };
const argument = (delta: string): JsonObject => {
  return { type: "response.function_call_arguments.delta", output_index: 0, delta };
};

describe("items of a reply", () => {
  test("20.4 are found by their ids in the whole reply, which may hold one that was not streamed", () => {
    const said = { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "said" }] };
    const parts = stream(
      added(1, { ...said, content: [] }),
      words(1, "said", "m"),
      completed({ ...said, id: "first", content: [] }, said),
    );
    expect(content(parts)).toEqual([{ type: "text", text: "said" }]);
  });

  test("are told apart by their position, whatever ids they have", () => {
    const parts = stream(
      added(0, { type: "message", id: "a" }),
      words(0, "one ", "b"),
      words(0, "text", "c"),
      done(0, { type: "message", id: "d", content: [{ type: "output_text", text: "one text" }] }),
      completed(),
    );
    expect(content(parts)).toEqual([{ type: "text", text: "one text" }]);
  });

  test.each<readonly [string, readonly JsonObject[]]>([
    ["whole at the end of the item", [added(0, { ...call, arguments: "" }), done(0, call), completed()]],
    [
      "in pieces without the last one",
      [added(0, { ...call, arguments: "" }), argument('{"at"'), done(0, call), completed()],
    ],
    ["in pieces without a whole form", [added(0, { ...call, arguments: "" }), argument('{"at":1}'), completed()]],
    ["only with the end of the reply", [completed(call)]],
    ["twice", [done(0, call), completed(call)]],
  ])("a call that arrives %s is one call", (_name, events) => {
    expect(content(stream(...events))).toMatchObject([{ type: "tool-use", id: "c", parameters: { at: 1 } }]);
  });

  test("a call that was cut by the token limit is dropped", () => {
    const incomplete = { incomplete_details: { reason: "max_output_tokens" }, output: [half] };
    const parts = stream(added(0, { ...call, arguments: "" }), argument('{"at"'), {
      type: "response.incomplete",
      response: incomplete,
    });
    expect(content(parts)).toBeUndefined();
    expect(parts.at(-1)).toMatchObject({ type: "finished", reason: "max-tokens" });
  });

  test("a call with plain-text input has that text as its one argument", () => {
    const custom = { type: "custom_tool_call", call_id: "c", name: "shell", input: 'ls "x"' };
    expect(content(stream(added(0, { ...custom, input: "" }), done(0, custom), completed()))).toMatchObject([
      { type: "tool-use", parameters: { input: 'ls "x"' }, native: { data: { custom: true } } },
    ]);
  });

  test("reasoning gets its encrypted form at its end and keeps its parts apart", () => {
    const summary = ["one", "two"].map((text) => ({ type: "summary_text", text }));
    const piece = (at: number, delta: string): JsonObject => {
      return { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: at, delta };
    };
    const parts = stream(
      added(0, { type: "reasoning", summary: [], encrypted_content: "early" }),
      piece(0, "one"),
      piece(1, "two"),
      done(0, { type: "reasoning", summary, encrypted_content: "late" }),
      completed(),
    );
    expect(content(parts)).toMatchObject([
      { type: "thinking", text: "one\n\ntwo", signature: "late", native: { data: { summary: ["one", "two"] } } },
    ]);
  });

  test("unknown items are kept whole", () => {
    const item = { type: "of_tomorrow", id: "x", data: [1] };
    expect(content(stream(added(0, item), done(0, item), completed()))).toEqual([
      { type: "opaque", api: "openai-responses", raw: item },
    ]);
  });
});

describe("the end of a reply", () => {
  const error = { code: "rate_limit_exceeded", message: "Slow down." };
  test.each<readonly [string, readonly JsonObject[], object]>([
    ["after plain text", [completed()], { reason: "end-turn" }],
    ["after a call", [completed(call)], { reason: "tool-use" }],
    [
      "with a refusal",
      [completed({ type: "message", content: [{ type: "refusal", refusal: "No." }] })],
      { reason: "refusal" },
    ],
    [
      "at a filter",
      [{ type: "response.incomplete", response: { incomplete_details: { reason: "content_filter" } } }],
      { reason: "content-filter" },
    ],
    [
      "as failed",
      [{ type: "response.failed", response: { error } }],
      { failure: { class: "rate-limit", message: "Slow down." } },
    ],
    ["with an error", [{ type: "error", ...error }], { failure: { class: "rate-limit" } }],
    [
      "with an error inside an error",
      [{ type: "error", error: { type: "server_error", message: "Oh." } }],
      { failure: { class: "network" } },
    ],
    ["without an end", [words(0, "a", "a")], { failure: { class: "network", retryable: true } }],
  ])("%s", (_name, events, expected) => {
    expect(stream(...events).at(-1)).toMatchObject(expected);
  });

  test("a [DONE] line alone does not complete a reply", () => {
    expect(decodeChunk(startState, { data: "[DONE]" }).parts).toEqual([]);
  });

  test.each([
    [{ output: [], status: "queued" }, "invalid-request"],
    [{ output: [], status: "failed", error: { code: "server_error", message: "Oh." } }, "network"],
    [{ object: "list", data: [] }, "network"],
    [{ error: { code: "invalid_api_key", message: "No." } }, "auth"],
  ])("the body %j fails as a value", (body, expected) => {
    expect(decodeReply(body).at(-1)).toMatchObject({ type: "failed", failure: { class: expected } });
  });
});
