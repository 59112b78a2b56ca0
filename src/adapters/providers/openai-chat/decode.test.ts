import { describe, expect, test } from "vitest";
import { assemble, assembledMessage, emptyAssembly } from "../../../core/model/assemble.ts";
import { startState } from "./decode-state.ts";
import { decodeChunk, decodeEnd } from "./decode.ts";

const origin = { api: "openai-chat", provider: "test", model: "m" };

/** The content of a reply whose chunks had these deltas. */
function content(deltas: readonly object[], finish: string | null = "stop"): unknown {
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })),
    ...(finish === null ? [] : [{ choices: [{ index: 0, delta: {}, finish_reason: finish }] }]),
  ];
  let state = startState;
  let assembly = emptyAssembly;
  for (const chunk of chunks) {
    const decoded = decodeChunk(state, { data: JSON.stringify(chunk) });
    state = decoded.state;
    assembly = decoded.parts.reduce(assemble, assembly);
  }
  assembly = decodeEnd(state).reduce(assemble, assembly);
  return assembledMessage(assembly, origin)?.content.map((block) =>
    block.type === "tool-use"
      ? `${block.id} ${block.name}(${block.rawParameters ?? ""})`
      : block.type === "text" || block.type === "thinking" || block.type === "refusal"
        ? `${block.type}: ${block.text}`
        : block.type,
  );
}

const call = (fields: object, name?: string, args?: unknown): object => ({
  tool_calls: [
    {
      ...fields,
      function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
    },
  ],
});

describe("a piece of a call is assigned", () => {
  test.each<[string, readonly object[], readonly string[]]>([
    [
      "by its number",
      [
        call({ index: 0, id: "a" }, "f", ""),
        call({ index: 1, id: "b" }, "g", ""),
        call({ index: 0 }, undefined, '{"x":'),
        call({ index: 1 }, undefined, "{}"),
        call({ index: 0 }, undefined, "1}"),
      ],
      ['a f({"x":1})', "b g({})"],
    ],
    [
      "whole, in one chunk",
      [call({ index: 0, id: "a" }, "f", "{}"), call({ index: 1, id: "b" }, "f", "{}")],
      ["a f({})", "b f({})"],
    ],
    [
      "the same number with a new id and a name is a new call",
      [call({ index: 0, id: "a" }, "f", "{}"), call({ index: 0, id: "b" }, "f", "{}")],
      ["a f({})", "b f({})"],
    ],
    [
      "the same number and id repeated is the same call",
      [call({ index: 0, id: "a" }, "f", "{"), call({ index: 0, id: "a" }, "f", "}")],
      ["a f({})"],
    ],
    [
      "without a number, by its id",
      [call({ id: "a" }, "f", "{"), call({ id: "b" }, "g", "{}"), call({ id: "a" }, undefined, "}")],
      ["a f({})", "b g({})"],
    ],
    [
      "without number and id, by its name",
      [call({}, "f", "{}"), call({}, "g", "{"), call({}, undefined, "}")],
      ["call_0 f({})", "call_1 g({})"],
    ],
    ["an object for arguments", [call({ index: 0, id: "a" }, "f", { x: 1 })], ['a f({"x":1})']],
    [
      "arguments before the name",
      [call({ index: 0, id: "a" }, undefined, "{"), call({ index: 0 }, "f", "}")],
      ["a f({})"],
    ],
    [
      "the form from before there were several",
      [{ function_call: { name: "f", arguments: "{" } }, { function_call: { arguments: "}" } }],
      ["call_0 f({})"],
    ],
    [
      "a call without a name is dropped",
      [call({ index: 0, id: "a" }, undefined, "{}"), { content: "hi" }],
      ["text: hi"],
    ],
  ])("%s", (_name, deltas, expected) => {
    expect(content(deltas)).toEqual(expected);
  });
});

describe("thinking and text", () => {
  test.each<[string, readonly object[], readonly string[]]>([
    [
      "reasoning_content",
      [{ reasoning_content: "hm" }, { reasoning_content: "m" }, { content: "hi" }],
      ["thinking: hmm", "text: hi"],
    ],
    [
      "reasoning beside its details",
      [{ reasoning: "hm", reasoning_details: [{ type: "reasoning.text", index: 0, text: "hm" }] }, { content: "hi" }],
      ["thinking: hm", "text: hi"],
    ],
    [
      "details alone",
      [
        { reasoning_details: [{ type: "reasoning.text", index: 0, text: "h" }] },
        { reasoning_details: [{ type: "reasoning.text", index: 0, text: "m" }] },
      ],
      ["thinking: hm"],
    ],
    [
      "Mistral's list",
      [
        { content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] },
        { content: [{ type: "text", text: "hi" }] },
        { content: "!" },
      ],
      ["thinking: hm", "text: hi!"],
    ],
    [
      "text, a call, text again",
      [{ content: "a" }, call({ index: 0, id: "x" }, "f", "{}"), { content: "b" }],
      ["text: a", "x f({})", "text: b"],
    ],
    ["a refusal in pieces", [{ refusal: "I " }, { refusal: "won't" }], ["refusal: I won't"]],
    ["empty pieces", [{ content: "" }, { content: null, reasoning_content: null }, { content: "a" }], ["text: a"]],
  ])("%s", (_name, deltas, expected) => {
    expect(content(deltas)).toEqual(expected);
  });

  test("reasoning details are joined piece by piece and kept whole for the next request", () => {
    const deltas = [
      { reasoning_details: [{ type: "reasoning.text", index: 0, text: "h", format: "x" }] },
      { reasoning_details: [{ type: "reasoning.text", index: 0, text: "m", signature: "sig" }] },
      { reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "abc" }] },
    ];
    let state = startState;
    let assembly = emptyAssembly;
    for (const delta of deltas) {
      const decoded = decodeChunk(state, { data: JSON.stringify({ model: "m", choices: [{ delta }] }) });
      state = decoded.state;
      assembly = decoded.parts.reduce(assemble, assembly);
    }
    assembly = decodeChunk(state, { data: "[DONE]" }).parts.reduce(assemble, assembly);
    expect(assembledMessage(assembly, origin)?.content).toEqual([
      {
        type: "thinking",
        text: "hm",
        native: {
          api: "openai-chat",
          model: "m",
          data: {
            reasoning_details: [
              { type: "reasoning.text", index: 0, text: "hm", format: "x", signature: "sig" },
              { type: "reasoning.encrypted", index: 1, data: "abc" },
            ],
          },
        },
      },
    ]);
  });
});

describe("the stop reason", () => {
  test.each([
    ["stop", [{ content: "a" }], "end-turn"],
    ["stop", [call({ index: 0, id: "a" }, "f", "{}")], "tool-use"],
    ["tool_calls", [call({ index: 0, id: "a" }, "f", "{}")], "tool-use"],
    ["length", [{ content: "a" }], "max-tokens"],
    ["content_filter", [{ content: "a" }], "content-filter"],
    ["eos", [{ content: "a" }], "end-turn"],
    ["stop", [{ refusal: "no" }], "refusal"],
    ["whatever", [{ content: "a" }], "other"],
  ])("%s after %j", (finish, deltas, expected) => {
    let state = startState;
    for (const delta of deltas) state = decodeChunk(state, { data: JSON.stringify({ choices: [{ delta }] }) }).state;
    state = decodeChunk(state, { data: JSON.stringify({ choices: [{ delta: {}, finish_reason: finish }] }) }).state;
    expect(decodeEnd(state).at(-1)).toMatchObject({ type: "finished", reason: expected });
  });
});

test.each([
  [{ name: "look", arguments_text: "{}" }, true],
  [{ name: "look", parameters: "{}" }, true],
  [{ name: "look" }, false],
  [{ name: "look", arguments: null, description: "x" }, false],
])("a call whose arguments are under another name is refused: %j → %s", (called, isRefused) => {
  const chunk = { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "a", function: called }] } }] };
  const end = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
  const begun = decodeChunk(startState, { data: JSON.stringify(chunk) });
  const ended = decodeChunk(begun.state, { data: JSON.stringify(end) });
  const parts = [...begun.parts, ...ended.parts, ...decodeEnd(ended.state)];
  const [block] = assembledMessage(parts.reduce(assemble, emptyAssembly), origin)?.content ?? [];
  expect(block?.type === "tool-use" && block.argumentsError !== undefined).toBe(isRefused);
});
