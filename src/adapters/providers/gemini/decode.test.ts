import { describe, expect, test } from "vitest";
import { assemble, assembledMessage, emptyAssembly } from "../../../core/model/assemble.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { decodeChunk, decodeEnd, decodeReply, startState } from "./decode.ts";
import { readGeminiPath } from "./endpoint.ts";
import { addPartialArgs } from "./partial-args.ts";

const origin = { api: "gemini", provider: "test", model: "m" };

function stream(...bodies: readonly unknown[]): readonly StreamPart[] {
  let state = startState;
  const parts: StreamPart[] = [];
  for (const body of bodies) {
    const read = decodeChunk(state, { data: JSON.stringify(body) });
    state = read.state;
    parts.push(...read.parts);
  }
  return [...parts, ...decodeEnd(state)];
}

const said = (...parts: readonly unknown[]): unknown => ({ candidates: [{ content: { role: "model", parts } }] });
const stop = (finishReason: string, more: object = {}): unknown => ({ candidates: [{ finishReason, ...more }] });

function content(parts: readonly StreamPart[]): unknown {
  return assembledMessage(parts.reduce(assemble, emptyAssembly), origin)?.content;
}

test("a thought without a signature brings nothing of its own format", () => {
  const parts = stream(said({ text: "hm", thought: true }), stop("STOP"));
  expect(parts.find(({ type }) => type === "thinking-end")).toEqual({ type: "thinking-end", index: 0 });
});

describe("signatures", () => {
  const sign = (thoughtSignature: string): object => ({ api: "gemini", data: { thoughtSignature } });

  test("a signature closes the text before it, and texts on either side of it stay apart", () => {
    const parts = stream(
      said({ text: "a" }, { text: "b" }),
      said({ text: "", thoughtSignature: "s1" }),
      said({ text: "c" }),
      stop("STOP"),
    );
    expect(content(parts)).toEqual([
      { type: "text", text: "ab", native: sign("s1") },
      { type: "text", text: "c" },
    ]);
  });

  test("a signature without a text before it gets a block of its own", () => {
    const look = { functionCall: { name: "look", args: {} }, thoughtSignature: "s1" };
    const parts = stream(said(look, { text: "", thoughtSignature: "s2" }), stop("STOP"));
    expect(content(parts)).toMatchObject([
      { type: "tool-use", native: sign("s1") },
      { type: "text", text: "", native: sign("s2") },
    ]);
  });
});

describe("the end of a reply", () => {
  test.each<readonly [string, readonly unknown[], object]>([
    ["with a stop reason", [said({ text: "a" }), stop("STOP")], { reason: "end-turn" }],
    ["after a call", [said({ functionCall: { name: "look" } }), stop("STOP")], { reason: "tool-use" }],
    ["at the token limit", [said({ text: "a" }), stop("MAX_TOKENS")], { reason: "max-tokens" }],
    ["at a filter", [stop("SAFETY", { finishMessage: "Unsafe." })], { reason: "content-filter" }],
    ["with a refused prompt", [{ promptFeedback: { blockReason: "SAFETY" } }], { reason: "refusal" }],
    ["with an unknown stop reason", [said({ text: "a" }), stop("TOMORROW")], { reason: "other" }],
    ["in mid-text", [said({ text: "a" })], { failure: { class: "network" } }],
    [
      "in mid-call",
      [said({ functionCall: { name: "look", willContinue: true } }), stop("STOP")],
      { failure: { class: "network" } },
    ],
    ["with a malformed call", [stop("MALFORMED_FUNCTION_CALL")], { failure: { class: "unknown", retryable: true } }],
    [
      "with an error",
      [said({ text: "a" }), { error: { code: 503, status: "UNAVAILABLE", message: "Busy." } }],
      { failure: { class: "overloaded" } },
    ],
    [
      "with an error in a list",
      [[{ error: { code: 400, status: "INVALID_ARGUMENT", message: "No." } }]],
      { failure: { class: "invalid-request" } },
    ],
  ])("%s", (_name, bodies, expected) => {
    expect(stream(...bodies).at(-1)).toMatchObject(expected);
  });

  test("the message of a filter or refusal is shown when nothing else was said", () => {
    expect(content(stream(stop("SAFETY", { finishMessage: "Unsafe." })))).toEqual([
      { type: "refusal", text: "Unsafe." },
    ]);
    expect(content(stream({ promptFeedback: { blockReason: "SAFETY" } }))).toMatchObject([
      { type: "refusal", text: expect.stringContaining("SAFETY") },
    ]);
  });
});

test("a body may be the list of a stream's pieces", () => {
  expect(content(decodeReply([said({ text: "a" }), said({ text: "b" }), stop("STOP")]))).toEqual([
    { type: "text", text: "ab" },
  ]);
});

test("calls without ids get distinct ids", () => {
  const call = { functionCall: { name: "look", args: { at: 1 } } };
  expect(content(stream(said(call, call), stop("STOP")))).toMatchObject([
    { id: "call_0", parameters: { at: 1 } },
    { id: "call_1", parameters: { at: 1 } },
  ]);
});

test("thinking counts as output, although the provider counts it separately", () => {
  const usageMetadata = {
    promptTokenCount: 10,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 7,
    cachedContentTokenCount: 4,
  };
  expect(stream(said({ text: "a" }), { ...Object(stop("STOP")), usageMetadata }).at(-1)).toMatchObject({
    usage: { inputTokens: 10, outputTokens: 12, cachedInputTokens: 4, thinkingTokens: 7 },
  });
});

describe("arguments that arrive value by value", () => {
  test.each<readonly [string, readonly object[], string]>([
    [
      "a text in pieces",
      [
        { jsonPath: "$.a", stringValue: "x" },
        { jsonPath: "$.a", stringValue: "y" },
      ],
      '{"a":"xy"}',
    ],
    [
      "nested values",
      [
        { jsonPath: "$.a.b[1].c", numberValue: 2 },
        { jsonPath: "$.a.d", boolValue: false },
      ],
      '{"a":{"b":[null,{"c":2}],"d":false}}',
    ],
    ["nothing", [{ jsonPath: "$.a", nullValue: "NULL_VALUE" }], '{"a":null}'],
    ["a name in quotes", [{ jsonPath: "$['a.b']", stringValue: "x" }], '{"a.b":"x"}'],
    ["a dangerous name", [{ jsonPath: "$.__proto__.x", stringValue: "x" }], '{"__proto__":{"x":"x"}}'],
    ["a list with a huge index", [{ jsonPath: "$.a[999999999]", stringValue: "x" }], "{}"],
    ["no path", [{ stringValue: "x" }], "{}"],
  ])("%s", (_name, partialArgs, expected) => {
    expect(JSON.stringify(addPartialArgs({}, { partialArgs }))).toBe(expected);
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  });
});

test.each([
  ["/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", { model: "gemini-2.5-pro", stream: true }],
  [
    "https://a.example/v1/projects/p/locations/l/publishers/google/models/gemini-3:generateContent",
    { model: "gemini-3", stream: false },
  ],
  ["/v1beta/models/gemini-2.5-pro:countTokens", undefined],
  ["/v1beta/models", undefined],
])("the path %s is read as %j", (path, expected) => {
  expect(readGeminiPath(path)).toEqual(expected);
});
