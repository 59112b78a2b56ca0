import { describe, expect, test } from "vitest";
import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { claudeCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { geminiCodec } from "../../src/adapters/providers/gemini/codec.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { chatCompats } from "../../src/adapters/providers/openai-chat/compat.ts";
import { responsesCodec } from "../../src/adapters/providers/openai-responses/codec.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import type { Codec } from "../../src/adapters/providers/shared/codec.ts";
import { failureOfReply } from "../../src/adapters/providers/shared/errors.ts";
import { createHttpModel } from "../../src/adapters/providers/shared/http-model.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { AssistantMessage } from "../../src/core/message/types.ts";
import { readMessage } from "../../src/core/message/read.ts";
import { type Assembly, assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import { toolSchemaFault } from "../../src/testing/mock-provider/published-schema.ts";
import { infoOf, realDeps } from "./test-deps.ts";
import { model, requestOf, type Wire, wires } from "./wires.ts";

// Recordings that the project has no copy of, each rebuilt as a small case.

const claude = anthropicCodec(claudeCompat(model));
const gemini = geminiCodec(geminiCompat(model));
const chat = chatCodec(chatCompats.groq);
const responses = responsesCodec(responsesCompat("gpt-5.4"));

function assembled<State>(codec: Codec<State>, events: readonly object[]): Assembly {
  let state = codec.start;
  let assembly = emptyAssembly;
  for (const event of events) {
    const decoded = codec.decodeChunk(state, { data: JSON.stringify(event) });
    state = decoded.state;
    assembly = decoded.parts.reduce(assemble, assembly);
  }
  return codec.decodeEnd(state).reduce(assemble, assembly);
}

function reply<State>(codec: Codec<State>, ...events: readonly object[]): AssistantMessage | null {
  return assembledMessage(assembled(codec, events), { api: codec.api, provider: "test", model });
}

function whole<State>(codec: Codec<State>, body: object): AssistantMessage | null {
  const assembly = codec.decodeReply(body).reduce(assemble, emptyAssembly);
  return assembledMessage(assembly, { api: codec.api, provider: "test", model });
}

function wire(name: string): Wire {
  const found = wires[name];
  if (found === undefined) throw new Error(`No wire is called ${name}.`);
  return found;
}

const delta = (fields: object): object => ({ choices: [{ index: 0, delta: fields }] });
const stop = (reason: string): object => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });

describe("a streamed reply", () => {
  test("20.1 runs a call whose arguments are null as a call without arguments", () => {
    const call = { index: 0, id: "a", type: "function", function: { name: "now", arguments: "null" } };
    const message = reply(chat, delta({ tool_calls: [call] }), stop("tool_calls"));
    expect(message?.content).toEqual([
      { type: "tool-use", id: "a", name: "now", parameters: {}, rawParameters: "null" },
    ]);
  });

  test.each([
    ["in the same event", [[{ text: "", thoughtSignature: "s" }, { groundingMetadata: { a: 1 } }]]],
    [
      "after it",
      [
        [{ text: "", thoughtSignature: "s" }, {}],
        [{ text: "" }, { groundingMetadata: { a: 1 } }],
      ],
    ],
  ] as const)("20.2 of Gemini keeps the sources of a signed text that come %s", (_when, pieces) => {
    const events = pieces.map(([part, more]) => ({ candidates: [{ content: { parts: [part] }, ...more }] }));
    const first = { candidates: [{ content: { parts: [{ text: "Paris." }] } }] };
    const message = reply(gemini, first, ...events, { candidates: [{ finishReason: "STOP" }] });
    expect(message?.content).toMatchObject([
      { type: "text", text: "Paris.", native: { data: { thoughtSignature: "s", groundingMetadata: { a: 1 } } } },
    ]);
  });

  const item = (id: string, text: string): object => ({
    id,
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
  });
  const on = (type: string, at: number, fields: object): object => ({ type, output_index: at, ...fields });

  test("20.4 of Responses says each text once where positions have gaps", () => {
    const message = reply(
      responses,
      on("response.output_item.done", 0, { item: item("a", "one") }),
      on("response.output_item.done", 2, { item: item("b", "two") }),
      { type: "response.completed", response: { output: [item("a", "one"), item("b", "two")] } },
    );
    expect(message?.content.map((block) => block.type === "text" && block.text)).toEqual(["one", "two"]);
  });

  test("20.4 of Responses keeps the order in which parallel items began, whichever ends first", () => {
    const search = { id: "ws", type: "web_search_call", status: "completed" };
    const call = { id: "c", type: "function_call", call_id: "f", name: "look", arguments: "{}" };
    const message = reply(
      responses,
      on("response.output_item.added", 0, { item: search }),
      on("response.output_item.added", 1, { item: { ...call, arguments: "" } }),
      on("response.output_item.done", 1, { item: call }),
      on("response.output_item.done", 0, { item: search }),
      { type: "response.completed", response: { output: [search, call] } },
    );
    expect(message?.content.map(({ type }) => type)).toEqual(["opaque", "tool-use"]);
  });

  test("20.4 of Responses does not ask the client to run a search that the server ran", () => {
    const search = { id: "x", type: "custom_tool_call", call_id: "s", name: "x_keyword_search", input: "{}" };
    const tools = [{ type: "x_search" }, { type: "custom", name: "mine" }];
    const own = { ...search, name: "mine", call_id: "m" };
    const message = whole(responses, { output: [search, own], tools, status: "completed" });
    expect(message?.content).toMatchObject([
      { type: "opaque", raw: search },
      { type: "tool-use", id: "m" },
    ]);
  });

  test.each([
    ["speech", { audio: { id: "au", transcript: "Hi" } }, { type: "text", text: "Hi" }],
    ["speech without a transcript", { audio: { id: "au" } }, { type: "text", text: "" }],
    [
      "a custom call",
      { tool_calls: [{ index: 0, id: "c", type: "custom", custom: { name: "sql", input: "SELECT" } }] },
      { type: "tool-use", name: "sql", parameters: { input: "SELECT" } },
    ],
    [
      "the older form of a call",
      { function_call: { name: "now", arguments: "{}" } },
      { type: "tool-use", name: "now" },
    ],
    [
      "tools that the server ran",
      { executed_tools: [{ index: 0, type: "search" }] },
      { type: "opaque", raw: { type: "executed_tools" } },
    ],
    ["a refusal", { refusal: "No." }, { type: "refusal", text: "No." }],
  ])("20.7 of a chat server holds %s", (_what, said, expected) => {
    expect(reply(chat, delta(said), stop("stop"))?.content).toMatchObject([expected]);
    expect(whole(chat, { choices: [{ message: said, finish_reason: "stop" }] })?.content).toMatchObject([expected]);
  });

  test("20.7 of a chat server keeps unknown fields of its message and sends them back", () => {
    const signed = { extra_content: { google: { thought_signature: "s" } } };
    const message = reply(chat, delta({ content: "Hi" }), delta(signed), stop("stop"));
    if (message === null) throw new Error("The reply is empty.");
    const said = { role: "user", content: [{ type: "text", text: "hi" }] } as const;
    expect(wire("groq").encode(requestOf([said, message, said]))["messages"]).toContainEqual(
      expect.objectContaining({ role: "assistant", ...signed }),
    );
  });

  test("20.9 of Claude keeps its container, which calls by code need, and joins the pieces of a compaction", () => {
    const block = { type: "tool_use", id: "t", name: "look", input: {}, caller: { type: "code_execution_20260120" } };
    const message = reply(
      claude,
      { type: "message_start", message: { id: "m", model, content: [], container: { id: "box" } } },
      { type: "content_block_start", index: 0, content_block: { type: "compaction", content: null } },
      { type: "content_block_delta", index: 0, delta: { type: "compaction_delta", content: "So " } },
      { type: "content_block_delta", index: 0, delta: { type: "compaction_delta", content: "far." } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { ...block, toolset_name: "set" } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} },
      { type: "message_stop" },
    );
    if (message === null) throw new Error("The reply is empty.");
    expect(readMessage(message).ok).toBe(true);
    const body = wire("Claude 4.8").encode(
      requestOf([{ role: "user", content: [{ type: "text", text: "hi" }] }, message]),
    );
    expect(body).toMatchObject({
      container: "box",
      messages: [
        {},
        { content: [{ content: "So far." }, { caller: { type: "code_execution_20260120" }, toolset_name: "set" }] },
        {},
      ],
    });
  });

  test("20.8 of Claude counts the tokens of every iteration", () => {
    const iterations = [
      { type: "compaction", input_tokens: 60, output_tokens: 5 },
      { type: "message", input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 16 },
    ];
    const events = [
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3, iterations } },
      { type: "message_stop" },
    ];
    expect(assembled(claude, events).end).toMatchObject({
      usage: { inputTokens: 83, outputTokens: 8, cachedInputTokens: 16 },
    });
  });
});

describe("a request", () => {
  test.each(Object.keys(wires))("20.3 with a schema in Gemini's own dialect is valid for %s", (name) => {
    const parameters = {
      type: "OBJECT",
      properties: { tags: { type: "ARRAY", minItems: "1", items: { type: "STRING", nullable: true } } },
    };
    const body = {
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      tools: [{ functionDeclarations: [{ name: "tag", parameters }] }],
    };
    const { native: _own, ...request } = wire("Gemini 3").decode(body);
    expect(toolSchemaFault(parameters, "parameters")).not.toBeNull();
    expect(wire(name).fault(wire(name).encode({ ...request, maxTokens: 4096 }))).toBeNull();
    expect(JSON.stringify(wire(name).encode(request))).toContain('{"type":["string","null"]}');
  });

  const only: Readonly<Record<string, readonly [string, JsonObject]>> = {
    "a system text": ["openai", { model: "gpt-4o", messages: [{ role: "system", content: "Be brief." }] }],
    "an empty message": ["openai", { model: "gpt-4o", messages: [{ role: "user", content: "" }] }],
    "an empty item": ["Responses, gpt-5.4", { model: "gpt-5.4", input: [{ role: "user", content: [] }] }],
    "an empty text": ["Responses, gpt-5.4", { model: "gpt-5.4", input: "" }],
  };
  test.each(Object.entries(only))(
    "20.5 of only %s goes back as it came, and is valid elsewhere",
    (_what, [name, body]) => {
      const request = wire(name).decode(body);
      expect(wire(name).encode(request)).toMatchObject(body);
      const { native: _own, ...asked } = request;
      for (const other of Object.values(wires)) {
        expect(other.fault(other.encode({ ...asked, maxTokens: 4096, thinking: "off" }))).toBeNull();
      }
    },
  );

  test("20.6 keeps an instruction after a server tool's result as an instruction for Claude", () => {
    const messages = [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: [
          { type: "server_tool_use", id: "s", name: "web_search", input: {} },
          { type: "web_search_tool_result", tool_use_id: "s", content: [] },
        ],
      },
      { role: "system", content: "Be brief." },
    ];
    const body = { model, max_tokens: 9, messages };
    expect(wire("Claude 4.8").encode(wire("Claude 4.8").decode(body))).toMatchObject({ messages });
  });

  const strict: Readonly<Record<string, readonly [string, JsonObject]>> = {
    "legacy calls": [
      "openai",
      {
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content: null, function_call: { name: "now", arguments: "{}" } },
          { role: "function", name: "now", content: "9" },
        ],
      },
    ],
    "custom calls and refusals": [
      "openai",
      {
        messages: [
          { role: "user", content: "hi" },
          {
            role: "assistant",
            content: [{ type: "refusal", refusal: "No." }],
            tool_calls: [{ id: "c", type: "custom", custom: { name: "sql", input: "S" } }],
          },
          { role: "tool", tool_call_id: "c", content: "9" },
        ],
      },
    ],
    "a prefix and a name": [
      "openai",
      {
        messages: [
          { role: "user", content: "hi", name: "ann" },
          { role: "assistant", content: "So", prefix: true },
        ],
      },
    ],
    marks: [
      "Claude 4.8",
      {
        max_tokens: 9,
        messages: [
          { role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral", ttl: "1h" } }] },
        ],
      },
    ],
    "callers, ids and formats": [
      "Responses, gpt-5.4",
      {
        input: [
          { role: "user", content: "hi" },
          {
            type: "reasoning",
            id: "rs",
            summary: [],
            encrypted_content: "e",
            content: [{ type: "reasoning_text", text: "t" }],
            format: "f",
          },
          {
            type: "custom_tool_call",
            id: "ctc",
            call_id: "c",
            name: "sql",
            input: "S",
            caller: { type: "program" },
            namespace: "n",
          },
          { type: "custom_tool_call_output", call_id: "c", output: "9", caller: { type: "program" } },
          {
            type: "message",
            id: "m",
            role: "assistant",
            phase: "commentary",
            content: [{ type: "refusal", refusal: "No." }],
          },
          { role: "user", content: "more" },
        ],
      },
    ],
    "Gemini's further fields": [
      "Gemini 2.5",
      {
        contents: [
          {
            role: "user",
            parts: [{ inlineData: { mimeType: "image/png", data: "aGk=", displayName: "d" }, partMetadata: { a: 1 } }],
          },
          { role: "model", parts: [{ functionCall: { id: "f", name: "now", args: {} }, thought: false }] },
          {
            role: "user",
            parts: [
              {
                functionResponse: {
                  id: "f",
                  name: "now",
                  response: { output: "9" },
                  scheduling: "SILENT",
                  willContinue: false,
                },
              },
            ],
          },
        ],
      },
    ],
  };
  test.each(Object.entries(strict))("20.9 with %s comes back unchanged", (_what, [name, fields]) => {
    const body = name.startsWith("Gemini") ? fields : { model, stream: true, ...fields };
    const again: unknown = wire(name).encode(wire(name).decode(body));
    expect(again).toEqual(body);
  });
});

test("20.8 a wait in seconds counts when the wait in milliseconds is zero, and a server that lacks --jinja is not asked again", () => {
  const failure = (status: number, headers: Record<string, string>, message: string): unknown =>
    failureOfReply({ status, headers: new Headers(headers), body: JSON.stringify({ error: { message } }), nowMs: 0 });
  expect(failure(429, { "retry-after-ms": "0", "retry-after": "1" }, "Slow down.")).toMatchObject({
    retryAfterMs: 1000,
  });
  expect(failure(500, {}, "tools param requires --jinja flag")).toMatchObject({
    class: "invalid-request",
    retryable: false,
  });
});

test("20.8 a stream labelled JSON that begins with blank lines is read as a stream", async () => {
  const events = [delta({ content: "Hi" }), stop("stop")].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const response = new Response(`\n\r\n\n${events.join("")}`, { headers: { "content-type": "application/json" } });
  const asked = createHttpModel(
    { baseUrl: "https://models.example", streamed: true, codec: chat, info: infoOf("groq/gpt") },
    { ...realDeps, fetch: () => Promise.resolve(response) },
  ).stream(requestOf([]), new AbortController().signal);
  const types: string[] = [];
  for await (const { type } of asked) types.push(type);
  expect(types).toEqual(expect.arrayContaining(["text-delta", "finished"]));
});
