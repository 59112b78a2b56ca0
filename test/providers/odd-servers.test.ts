import { expect, test } from "vitest";
import { gistOf } from "./gist.ts";
import { decoderFor } from "./recorded-codecs.ts";

const over = { type: "response.completed", response: { status: "completed", output: [] } };
const call = (fields: object): object => ({ choices: [{ index: 0, delta: { tool_calls: [fields] } }] });
const called = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };

/** Streams that some servers send against all documentation, and their content. */
test.each<
  readonly [string, string, readonly (object | string)[], { readonly text: string; readonly calls: readonly object[] }]
>([
  [
    "Responses with a whole text and no pieces",
    "responses",
    [{ type: "response.output_text.done", output_index: 0, content_index: 0, text: "whole" }, over],
    { text: "whole", calls: [] },
  ],
  [
    "Responses with whole arguments and no pieces",
    "responses",
    [
      { type: "response.output_item.added", output_index: 0, item: { type: "function_call", call_id: "a", name: "f" } },
      { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"a":1}' },
      over,
    ],
    { text: "", calls: [{ name: "f", input: { a: 1 } }] },
  ],
  [
    "Responses with pieces and the whole after them",
    "responses",
    [
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "who" },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "le" },
      { type: "response.output_text.done", output_index: 0, content_index: 0, text: "whole" },
      over,
    ],
    { text: "whole", calls: [] },
  ],
  [
    "Chat with a whole message in its stream",
    "chat",
    [{ choices: [{ index: 0, message: { content: "whole" }, finish_reason: "stop" }] }],
    { text: "whole", calls: [] },
  ],
  [
    "Chat with the whole message after its pieces",
    "chat",
    [
      { choices: [{ index: 0, delta: { content: "whole" } }] },
      { choices: [{ index: 0, message: { content: "whole" }, finish_reason: "stop" }] },
    ],
    { text: "whole", calls: [] },
  ],
  [
    "Chat with pieces that are null",
    "chat",
    [
      { choices: [{ index: 0, delta: null }] },
      { choices: [{ index: 0, delta: { content: "x" } }] },
      { choices: [{ index: 0, delta: null, finish_reason: "stop" }] },
    ],
    { text: "x", calls: [] },
  ],
  [
    "Chat with every call numbered 0",
    "chat",
    [
      call({ index: 0, id: "a", function: { name: "f", arguments: "{}" } }),
      call({ index: 0, id: "b", function: { name: "g", arguments: { x: 1 } } }),
      called,
    ],
    {
      text: "",
      calls: [
        { name: "f", input: {} },
        { name: "g", input: { x: 1 } },
      ],
    },
  ],
  [
    "Chat with a new id for each piece of a call",
    "chat",
    [
      call({ index: 0, id: "a", function: { name: "f", arguments: '{"x"' } }),
      call({ index: 0, id: "b", function: { arguments: ":1}" } }),
      called,
    ],
    { text: "", calls: [{ name: "f", input: { x: 1 } }] },
  ],
  [
    "generateContent in envelopes",
    "gemini-stream",
    [{ response: { candidates: [{ content: { parts: [{ text: "x" }] }, finishReason: "STOP" }] } }],
    { text: "x", calls: [] },
  ],
])("%s", (_what, api, events, expected) => {
  const decoder = decoderFor(api).start();
  const sent = events.map((data) => ({
    ...(typeof data === "object" && "type" in data ? { event: String(data.type) } : {}),
    data: typeof data === "string" ? data : JSON.stringify(data),
  }));
  const parts = [...sent.flatMap((event) => decoder.push(event)), ...decoder.end()];
  expect(parts.at(-1)?.type).toBe("finished");
  expect(gistOf(parts)).toMatchObject(expected);
});
