import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claudeCompat, plainAnthropicCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { decodeRequest as decodeAnthropic } from "../../src/adapters/providers/anthropic/decode-request.ts";
import { encodeRequest as encodeAnthropic } from "../../src/adapters/providers/anthropic/encode.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { decodeRequest as decodeGemini } from "../../src/adapters/providers/gemini/decode-request.ts";
import { encodeRequest as encodeGemini } from "../../src/adapters/providers/gemini/encode.ts";
import { readGeminiPath } from "../../src/adapters/providers/gemini/endpoint.ts";
import { listAt, textAt } from "../../src/adapters/providers/json-read.ts";
import { chatCompats } from "../../src/adapters/providers/openai-chat/compat.ts";
import { decodeRequest as decodeChat } from "../../src/adapters/providers/openai-chat/decode-request.ts";
import { encodeRequest as encodeChat } from "../../src/adapters/providers/openai-chat/encode.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import { decodeRequest as decodeResponses } from "../../src/adapters/providers/openai-responses/decode-request.ts";
import { encodeRequest as encodeResponses } from "../../src/adapters/providers/openai-responses/encode.ts";
import { interruptedSuffix } from "../../src/adapters/providers/project.ts";
import type { ToolCallId } from "../../src/core/base/ids.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import type {
  AssistantContentBlock,
  AssistantMessage,
  Message,
  ToolMessage,
  ToolUseBlock,
  UserContentBlock,
} from "../../src/core/message/types.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import { anthropicFault } from "../../src/testing/mock-provider/anthropic-rules.ts";
import { chatFault } from "../../src/testing/mock-provider/chat-rules.ts";
import { geminiFault } from "../../src/testing/mock-provider/gemini-rules.ts";
import { responsesFault } from "../../src/testing/mock-provider/responses-rules.ts";
import { scaled } from "../scale.ts";
import { type RecordedRequest, recordedRequests, recordingsFolder } from "./recordings.ts";

const model = "claude-opus-4-8";
const tools = [
  { name: "look", description: "Looks.", inputSchema: { type: "object", properties: { at: { type: "string" } } } },
];

function requestOf(messages: readonly Message[]): ModelRequest {
  return { model, system: "Be brief.", messages, tools, maxTokens: 4096, thinking: "off" };
}

const numRuns = scaled(100);

interface Wire {
  /** The field of a body that holds the path. */
  readonly path: string;
  encode(request: ModelRequest): JsonObject;
  decode(body: unknown): ModelRequest;
  fault(body: unknown): unknown;
}

const wires: Readonly<Record<string, Wire>> = {
  "Claude 4.8": {
    path: "messages",
    encode: (request) => encodeAnthropic(request, claudeCompat(model), true),
    decode: (body) => decodeAnthropic(body).request,
    fault: anthropicFault,
  },
  "another Messages server": {
    path: "messages",
    encode: (request) => encodeAnthropic(request, plainAnthropicCompat, false),
    decode: (body) => decodeAnthropic(body).request,
    fault: anthropicFault,
  },
  ...Object.fromEntries(
    Object.entries(chatCompats).map(([server, compat]): [string, Wire] => [
      server,
      {
        path: "messages",
        encode: (request) => encodeChat(request, compat, true),
        decode: (body) => decodeChat(body).request,
        fault: chatFault,
      },
    ]),
  ),
};

const responsesWires = Object.fromEntries(
  ["gpt-5.4", "gpt-4o"].map((name): [string, Wire] => [
    `Responses, ${name}`,
    {
      path: "input",
      encode: (request) => encodeResponses(request, responsesCompat(name), true),
      decode: (body) => decodeResponses(body).request,
      fault: responsesFault,
    },
  ]),
);

function geminiWire(name: string, requested = model): Wire {
  return {
    path: "contents",
    encode: (request) => encodeGemini(request, geminiCompat(name)),
    decode: (body) => decodeGemini(body, { model: requested, stream: true }).request,
    fault: (body) => geminiFault(body, name),
  };
}

const allWires: Readonly<Record<string, Wire>> = {
  ...wires,
  ...responsesWires,
  "Gemini 3": geminiWire("gemini-3-flash-preview"),
  "Gemini 2.5": geminiWire("gemini-2.5-flash"),
};

/* Paths as they are stored: every call has its result, in order, right after it. All the rest is as odd as it can be. */

const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", " ", "\n", '"', "`"), maxLength: 12 });
const image: fc.Arbitrary<UserContentBlock> = fc.constantFrom(
  { type: "image", mediaType: "image/png", source: { type: "base64", data: "aGk=" } },
  { type: "image", mediaType: "image/*", source: { type: "url", url: "https://example.org/a.png" } },
  { type: "file", mediaType: "application/pdf", name: "a.pdf", source: { type: "base64", data: "aGk=" } },
);
const textBlock = text.map((said) => ({ type: "text" as const, text: said }));
const userBlock: fc.Arbitrary<UserContentBlock> = fc.oneof(
  { weight: 4, arbitrary: textBlock },
  { weight: 1, arbitrary: image },
);
const user: fc.Arbitrary<Message> = fc
  .tuple(userBlock, fc.array(userBlock, { maxLength: 2 }))
  .map(([first, rest]) => ({ role: "user", content: [first, ...rest] }));
const system: fc.Arbitrary<Message> = textBlock.map((block) => ({ role: "system", content: [block] }));

/** Ids as local servers make them: repeated from reply to reply, and of any form. */
const callId = fc.constantFrom("call_0", "call_1", "0", "functions.look:0", "toolu_01A", "x".repeat(80), "ünique");
const callExtras = fc.constantFrom(
  undefined,
  { api: "gemini", data: { thoughtSignature: "c2ln" } },
  { api: "openai-responses", data: { namespace: "eyes" } },
);
const call: fc.Arbitrary<ToolUseBlock> = fc
  .record({ id: callId, at: text, broken: fc.boolean(), native: callExtras })
  .map(({ id, at, broken, native }) =>
    broken
      ? {
          type: "tool-use",
          id: id as ToolCallId,
          name: "look",
          parameters: {},
          rawParameters: `{"at": ${at}`,
          argumentsError: "not JSON",
        }
      : {
          type: "tool-use",
          id: id as ToolCallId,
          name: "look",
          parameters: { at },
          rawParameters: JSON.stringify({ at }),
          ...(native === undefined ? {} : { native }),
        },
  );
const aside: fc.Arbitrary<AssistantContentBlock> = fc.oneof(
  textBlock,
  text.map((said) => ({ type: "refusal" as const, text: said })),
  text.map((said) => ({ type: "notice" as const, text: `notice ${said}` })),
  text.map((said) => ({ type: "thinking" as const, text: said, signature: "c2ln" })),
  fc.constant({ type: "thinking" as const, text: "", redacted: "b3BhcXVl" }),
  fc.constant({
    type: "thinking" as const,
    text: "reasoned",
    native: { api: "openai-chat", data: { reasoning_details: [{ type: "reasoning.text", text: "reasoned" }] } },
  }),
  fc.constant({
    type: "thinking" as const,
    text: "one\n\ntwo",
    signature: "ZW5j",
    native: { api: "openai-responses", data: { summary: ["one", "two"] } },
  }),
  text.map((said) => ({
    type: "text" as const,
    text: said,
    native: { api: "gemini", data: { thoughtSignature: "c2ln" } },
  })),
  text.map((said) => ({
    type: "text" as const,
    text: said,
    native: { api: "openai-responses", data: { phase: "commentary" } },
  })),
  fc.constant({
    type: "tool-use" as const,
    id: "call_custom" as ToolCallId,
    name: "shell",
    parameters: { input: "ls" },
    native: { api: "openai-responses", data: { custom: true } },
  }),
  fc.constantFrom(
    {
      type: "opaque" as const,
      api: "openai-responses",
      raw: { type: "web_search_call", id: "ws_1", status: "completed" },
    },
    { type: "opaque" as const, api: "gemini", raw: { executableCode: { language: "PYTHON", code: "1" } } },
  ),
);
const origin = fc.constantFrom(
  { api: "anthropic", provider: "anthropic", model },
  { api: "anthropic", provider: "anthropic", model: "claude-haiku-4-5" },
  { api: "openai-chat", provider: "openai", model },
  { api: "openai-responses", provider: "openai", model },
  { api: "gemini", provider: "google", model },
  undefined,
);

/** One reply with what answers it. */
const exchange: fc.Arbitrary<readonly Message[]> = fc
  .record({
    asides: fc.uniqueArray(aside, {
      maxLength: 3,
      selector: (block) => (block.type === "tool-use" ? block.id : block),
    }),
    calls: fc.uniqueArray(call, { maxLength: 3, selector: (block) => block.id }),
    ending: fc.option(
      aside.filter((block) => block.type !== "tool-use"),
      { nil: undefined },
    ),
    outputs: fc.array(fc.oneof(textBlock, image), { minLength: 4, maxLength: 4 }),
    origin,
    interrupted: fc.boolean(),
    outcome: fc.constantFrom("ok", "error", "cancelled", "unknown"),
  })
  .map(({ asides, calls, ending, outputs, origin: from, interrupted, outcome }) => {
    const content = [...asides, ...calls, ...(ending === undefined ? [] : [ending])];
    const assistant: AssistantMessage = {
      role: "assistant",
      content: [{ type: "text", text: "Well:" }, ...content],
      ...(from === undefined ? {} : { origin: from }),
      ...(interrupted ? { interrupted } : {}),
    };
    const asked = content.filter((block) => block.type === "tool-use");
    const results = asked.map((block, at): ToolMessage => ({
      role: "tool",
      tool_call_id: block.id,
      tool_name: block.name,
      content: [outputs[at] ?? { type: "text", text: "" }],
      outcome: outcome === "ok" || outcome === "error" || outcome === "cancelled" ? outcome : "unknown",
    }));
    return [assistant, ...results];
  });

const path: fc.Arbitrary<readonly Message[]> = fc
  .tuple(
    user,
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: exchange },
        { weight: 2, arbitrary: user.map((message) => [message]) },
        { weight: 1, arbitrary: system.map((message) => [message]) },
      ),
      { maxLength: 6 },
    ),
  )
  .map(([first, rest]) => [first, ...rest.flat()]);

describe.each(Object.entries(allWires))("requests to %s", (_name, wire) => {
  test("any stored path gives a request that the provider takes (TR1 to TR5)", () => {
    fc.assert(
      fc.property(path, (messages) => {
        expect(wire.fault(wire.encode(requestOf(messages)))).toBeNull();
      }),
      { numRuns },
    );
  });

  test("what is read from a request gives the same request again", () => {
    fc.assert(
      fc.property(path, (messages) => {
        const body = wire.encode(requestOf(messages));
        const again = wire.encode(wire.decode(body));
        for (const field of [wire.path, "tools", "system", "instructions", "systemInstruction"])
          expect(again[field]).toEqual(body[field]);
      }),
      { numRuns },
    );
  });

  test("TR6 what a request sent is the beginning of what the next one sends", () => {
    fc.assert(
      fc.property(path, (messages) => {
        const asked = messages.flatMap((message, at) => (message.role === "assistant" && at > 0 ? [at] : []));
        const whole = unmarked(wire.encode(requestOf(messages))[wire.path]);
        for (const at of asked) {
          const before = messages[at - 1];
          // Requests are sent when there is something to answer, and only with all results.
          if (before?.role !== "user" && before?.role !== "tool") continue;
          const sent = unmarked(wire.encode(requestOf(messages.slice(0, at)))[wire.path]);
          expect(whole.slice(0, sent.length)).toEqual(sent);
        }
      }),
      { numRuns },
    );
  });

  test("notices and blank texts are never sent; an interrupted reply says so", () => {
    const body = JSON.stringify(
      wire.encode(
        requestOf([
          {
            role: "user",
            content: [
              { type: "text", text: "hi" },
              { type: "text", text: "  " },
            ],
          },
          {
            role: "assistant",
            interrupted: true,
            content: [
              { type: "notice", text: "secret" },
              { type: "text", text: "I was" },
            ],
          },
          { role: "user", content: [{ type: "text", text: "go on" }] },
        ]),
      ),
    );
    expect(body).not.toContain("secret");
    expect(body).not.toContain('"  "');
    expect(body).toContain(interruptedSuffix);
  });
});

describe("thinking", () => {
  const history = (from: {
    readonly api: string;
    readonly provider: string;
    readonly model: string;
  }): readonly Message[] => [
    { role: "user", content: [{ type: "text", text: "hi" }] },
    {
      role: "assistant",
      origin: from,
      content: [
        { type: "thinking", text: "hmm", signature: "sig" },
        { type: "text", text: "hello" },
      ],
    },
    { role: "user", content: [{ type: "text", text: "more" }] },
  ];
  test.each([
    ["its own model's is sent back unchanged", { api: "anthropic", provider: "anthropic", model }, true],
    ["another model's is left out", { api: "anthropic", provider: "anthropic", model: "claude-haiku-4-5" }, false],
    ["another provider's is left out", { api: "openai-chat", provider: "openai", model }, false],
  ])("%s", (_name, from, kept) => {
    expect(JSON.stringify(wires["Claude 4.8"]?.encode(requestOf(history(from)))).includes('"signature":"sig"')).toBe(
      kept,
    );
  });

  test.each([
    [
      "claude-opus-4-8",
      "high",
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "high" } },
    ],
    ["claude-opus-4-6", "low", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
    ["claude-opus-4-8", "off", { thinking: { type: "disabled" } }],
    ["claude-opus-5", "off", { thinking: { type: "disabled" } }],
    ["claude-opus-5-5", "off", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
    ["claude-fable-5", "off", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
    ["claude-of-tomorrow", "off", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
    ["claude-sonnet-4-5", "medium", { thinking: { type: "enabled", budget_tokens: 4095 } }],
    ["claude-sonnet-4-5", "off", {}],
    ["claude-3-5-haiku-20241022", "high", {}],
  ] as const)("%s asked for %s", (name, thinking, expected) => {
    const request = {
      ...requestOf([{ role: "user", content: [{ type: "text", text: "hi" }] }]),
      model: name,
      thinking,
      temperature: 0.5,
    };
    const body = encodeAnthropic(request, claudeCompat(name), true);
    const { thinking: sent, output_config: config } = body;
    expect({
      ...(sent === undefined ? {} : { thinking: sent }),
      ...(config === undefined ? {} : { output_config: config }),
    }).toEqual(expected);
  });
});

describe("two results and a person's words", () => {
  const messages: readonly Message[] = [
    { role: "user", content: [{ type: "text", text: "look twice" }] },
    {
      role: "assistant",
      content: [
        { type: "tool-use", id: "a" as ToolCallId, name: "look", parameters: {} },
        { type: "tool-use", id: "b" as ToolCallId, name: "look", parameters: {} },
      ],
    },
    {
      role: "tool",
      tool_call_id: "a" as ToolCallId,
      tool_name: "look",
      content: [{ type: "text", text: "A" }],
      outcome: "ok",
    },
    {
      role: "tool",
      tool_call_id: "b" as ToolCallId,
      tool_name: "look",
      content: [{ type: "image", mediaType: "image/png", source: { type: "base64", data: "aGk=" } }],
      outcome: "error",
    },
    { role: "user", content: [{ type: "text", text: "and now?" }] },
  ];

  test("are one user message for Anthropic, the results first", () => {
    const body = encodeAnthropic(requestOf(messages), plainAnthropicCompat, true);
    expect(listAt(body, "messages").map((message) => textAt(message, "role"))).toEqual(["user", "assistant", "user"]);
    expect(listAt(listAt(body, "messages")[2], "content")).toMatchObject([
      { type: "tool_result", tool_use_id: "a" },
      { type: "tool_result", tool_use_id: "b", is_error: true, content: [{ type: "image" }] },
      { type: "text", text: "and now?" },
    ]);
  });

  test("are one tool message each for OpenAI, then the image with the words", () => {
    const body = encodeChat(requestOf(messages), chatCompats.openai, true);
    expect(listAt(body, "messages").slice(2)).toMatchObject([
      { role: "assistant", content: null },
      { role: "tool", tool_call_id: "a", content: "A" },
      { role: "tool", tool_call_id: "b" },
      { role: "user", content: [{ type: "text" }, { type: "image_url" }, { type: "text", text: "and now?" }] },
    ]);
  });
});

test.each([
  ["Responses, gpt-5.4", "openai-responses", { type: "web_search_call", id: "ws_1", status: "completed" }],
  ["Gemini 3", "gemini", { codeExecutionResult: { outcome: "OUTCOME_OK" } }],
])("%s is asked to continue a reply that ends in an item of its own", (name, api, raw) => {
  const wire = allWires[name];
  const said: Message = { role: "user", content: [{ type: "text", text: "hi" }] };
  const reply: AssistantMessage = {
    role: "assistant",
    content: [{ type: "opaque", api, raw }],
    origin: { api, provider: "test", model },
  };
  const body = wire?.encode(requestOf([said, reply]));
  expect(wire?.fault(body)).toBeNull();
  expect(JSON.stringify(body)).toContain(JSON.stringify(raw));
});

describe("what Responses is sent back", () => {
  const from = { api: "openai-responses", provider: "openai", model } as const;
  const wire = allWires["Responses, gpt-5.4"];
  const thinking = { type: "thinking", text: "hmm", signature: "ZW5j" } as const;
  const look: ToolUseBlock = { type: "tool-use", id: "call_1" as ToolCallId, name: "look", parameters: {} };
  const hi: Message = { role: "user", content: [{ type: "text", text: "hi" }] };
  const types = (...content: AssistantMessage["content"]): readonly (string | undefined)[] => {
    const reply: AssistantMessage = { role: "assistant", content, origin: from };
    return listAt(wire?.encode(requestOf([hi, reply, hi])), "input").map((item) => textAt(item, "type"));
  };

  test.each<readonly [string, AssistantMessage["content"], readonly string[]]>([
    ["with the text that it led to", [thinking, { type: "text", text: "hello" }], ["reasoning", "message"]],
    ["with the call that it led to", [thinking, look], ["reasoning", "function_call", "function_call_output"]],
    ["not where that is gone", [{ type: "text", text: "hello" }, thinking], ["message"]],
    [
      "not where only a notice is left of it",
      [look, thinking, { type: "notice", text: "cut" }],
      ["function_call", "function_call_output"],
    ],
    [
      "not without its encrypted form",
      [{ type: "thinking", text: "hmm" }, look],
      ["function_call", "function_call_output"],
    ],
  ])("reasoning goes %s", (_name, content, expected) => {
    expect(types(...content)).toEqual(["message", ...expected, "message"]);
  });

  test("reasoning that a person cut off before its product is left out", () => {
    const cut: AssistantMessage = { role: "assistant", content: [thinking], origin: from, interrupted: true };
    expect(JSON.stringify(wire?.encode(requestOf([hi, cut, hi])))).not.toContain("ZW5j");
  });

  test("nothing is kept there, no item has an id, and reasoning comes encrypted", () => {
    const reply: AssistantMessage = { role: "assistant", content: [thinking, look], origin: from };
    const body = wire?.encode(requestOf([hi, reply]));
    expect(body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"], instructions: "Be brief." });
    for (const item of listAt(body, "input")) expect(textAt(item, "id")).toBeUndefined();
  });

  test.each([
    ["gpt-5", "off", { effort: "minimal" }],
    ["gpt-5.4", "off", { effort: "none" }],
    ["gpt-5.3-codex", "off", { effort: "low" }],
    ["o4-mini", "medium", { effort: "medium", summary: "auto" }],
    ["gpt-5-pro", "low", { effort: "high", summary: "auto" }],
    ["gpt-4o", "high", undefined],
  ] as const)("%s asked for %s", (name, level, expected) => {
    const body = encodeResponses(
      { ...requestOf([hi]), thinking: level, temperature: 0.5 },
      responsesCompat(name),
      true,
    );
    expect(body["reasoning"]).toEqual(expected);
    expect(body["temperature"]).toBe(expected === undefined ? 0.5 : undefined);
  });
});

describe("what Gemini is sent back", () => {
  const from = { api: "gemini", provider: "google", model } as const;
  const hi: Message = { role: "user", content: [{ type: "text", text: "hi" }] };
  const use = (id: string, signature?: string): ToolUseBlock => ({
    type: "tool-use",
    id: id as ToolCallId,
    name: "look",
    parameters: {},
    ...(signature === undefined ? {} : { native: { api: "gemini", data: { thoughtSignature: signature } } }),
  });
  const image: UserContentBlock = { type: "image", mediaType: "image/png", source: { type: "base64", data: "aGk=" } };
  const result = (id: string, content: UserContentBlock, outcome: ToolMessage["outcome"] = "ok"): ToolMessage => ({
    role: "tool",
    tool_call_id: id as ToolCallId,
    tool_name: "look",
    content: [content],
    outcome,
  });
  const contents = (name: string, messages: readonly Message[]): readonly unknown[] =>
    listAt(geminiWire(name).encode(requestOf(messages)), "contents");

  test("each signature stands where it was", () => {
    const reply: AssistantMessage = {
      role: "assistant",
      origin: from,
      content: [
        { type: "thinking", text: "hmm", signature: "s0" },
        { type: "text", text: "", native: { api: "gemini", data: { thoughtSignature: "s1" } } },
        use("a", "s2"),
        use("b"),
      ],
    };
    const sent = contents("gemini-3-flash-preview", [hi, reply, result("a", image), result("b", image)]);
    expect(listAt(sent[1], "parts")).toEqual([
      { text: "hmm", thought: true, thoughtSignature: "s0" },
      { text: "", thoughtSignature: "s1" },
      { functionCall: { id: "a", name: "look", args: {} }, thoughtSignature: "s2" },
      { functionCall: { id: "b", name: "look", args: {} } },
    ]);
  });

  test.each([
    ["gemini-3-flash-preview", "skip_thought_signature_validator"],
    ["gemini-flash-latest", "skip_thought_signature_validator"],
    ["gemini-2.5-flash", undefined],
  ])("a call of another model, sent to %s, has the signature %s", (name, signature) => {
    const reply: AssistantMessage = { role: "assistant", content: [use("a", "foreign"), use("b", "foreign")] };
    const text = { type: "text", text: "seen" } as const;
    const sent = contents(name, [hi, reply, result("a", text), result("b", text)]);
    expect(listAt(sent[1], "parts").map((part) => textAt(part, "thoughtSignature"))).toEqual([signature, undefined]);
  });

  test("results are objects, in order, in one message; an older model gets images after them", () => {
    const reply: AssistantMessage = { role: "assistant", content: [use("a"), use("b")] };
    const messages = [hi, reply, result("a", { type: "text", text: "seen" }), result("b", image, "error"), hi];
    const three = contents("gemini-3-flash-preview", messages);
    expect(three.slice(2)).toEqual([
      {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "look", response: { output: "seen" } } },
          {
            functionResponse: {
              id: "b",
              name: "look",
              response: { error: "" },
              parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }],
            },
          },
        ],
      },
      { role: "user", parts: [{ text: "hi" }] },
    ]);
    const older = contents("gemini-2.5-flash", messages);
    expect(older.slice(2)).toMatchObject([
      { parts: [{ functionResponse: { name: "look", response: { output: "seen" } } }, { functionResponse: {} }] },
      { parts: [{ text: "Attachments from look:" }, { inlineData: {} }] },
      { parts: [{ text: "hi" }] },
    ]);
    expect(JSON.stringify(older)).not.toContain('"id"');
  });

  test.each([
    ["gemini-3-pro-preview", "off", { includeThoughts: false, thinkingLevel: "low" }],
    ["gemini-3-flash-preview", "off", { includeThoughts: false, thinkingLevel: "minimal" }],
    ["gemini-3.5-flash", "high", { includeThoughts: true, thinkingLevel: "high" }],
    ["gemini-2.5-pro", "off", { includeThoughts: false, thinkingBudget: 128 }],
    ["gemini-2.5-flash", "low", { includeThoughts: true, thinkingBudget: 2048 }],
    ["gemini-2.0-flash", "high", undefined],
    ["gemma-4-31b-it", "high", undefined],
  ] as const)("%s asked for %s", (name, level, expected) => {
    const body = encodeGemini({ ...requestOf([hi]), thinking: level }, geminiCompat(name));
    expect(body["generationConfig"]).toEqual({
      maxOutputTokens: 4096,
      ...(expected === undefined ? {} : { thinkingConfig: expected }),
    });
  });

  test("a request reads the same in either spelling of its keys", () => {
    const reply: AssistantMessage = { role: "assistant", origin: from, content: [use("a", "s2")] };
    const body = geminiWire("gemini-3-flash-preview").encode(requestOf([hi, reply, result("a", image), hi]));
    const target = { model, stream: true };
    expect(decodeGemini(snakeCased(body), target)).toEqual(decodeGemini(body, target));
  });
});

/** The same JSON with the format's own keys in their other spelling. */
function snakeCased(body: unknown): unknown {
  const text = JSON.stringify(body);
  return JSON.parse(
    text.replaceAll(/"([a-z]+(?:[A-Z][a-z]+)+)":/gu, (_whole, key: string) => {
      return `"${key.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)}":`;
    }),
  );
}

/** The wire that a recorded request was meant for, with the rules for its model; undefined for other endpoints' requests. */
function wireOf(row: RecordedRequest): Wire | undefined {
  switch (row.api) {
    case "anthropic":
      return wires["Claude 4.8"];
    case "chat":
      return wires["openai"];
    case "responses":
      return allWires["Responses, gpt-5.4"];
    case "gemini": {
      const target = readGeminiPath(row.url);
      return target === undefined ? undefined : geminiWire(target.model, target.model);
    }
    default:
      return undefined;
  }
}

describe.skipIf(recordingsFolder === null)("recorded requests", () => {
  const rows = recordedRequests().flatMap((row, at) => {
    const wire = wireOf(row);
    const path = wire === undefined ? undefined : Object(row.req)[wire.path];
    return wire === undefined || path === undefined || path.length === 0 ? [] : [{ ...row, at, wire }];
  });
  const count = (api: string): number => rows.filter((row) => row.api === api).length;

  test("each can be read, and what is written from it the strict rules take", () => {
    expect(count("anthropic") + count("chat")).toBeGreaterThan(1400);
    expect([count("responses"), count("gemini")]).toEqual([482, 400]);
    const faults = rows.flatMap(({ req, at, wire }) => {
      const fault = wire.fault(wire.encode(wire.decode(req)));
      return fault === null ? [] : [`${at}: ${JSON.stringify(fault)}`];
    });
    expect(faults).toEqual([]);
  });

  test("what was written from one reads as the same request again", () => {
    for (const { req, at, wire } of rows) {
      const once = wire.encode(wire.decode(req));
      expect({ at, body: wire.encode(wire.decode(once)) }).toEqual({ at, body: once });
    }
  });

  test("the strict rules take nearly all of what providers took; where they are stricter, it is on purpose", () => {
    const stricter =
      /empty array|must end with a user message|first message must use|non-whitespace|is empty|does not match pattern|'tool_call_id' of|empty text parameter|in the order of their function calls|Image URLs are only|Invalid value: '(?:thinking|video_url|document_url|text)'/;
    const faults = rows.flatMap(({ req, at, wire }) => {
      const fault = JSON.stringify(wire.fault(req));
      return fault === "null" ? [] : [`${at}: ${fault}`];
    });
    expect(faults.filter((fault) => !stricter.test(fault))).toEqual([]);
    expect(faults.length).toBeLessThan(60);
  });
});

function unmarked(messages: unknown): readonly unknown[] {
  const plain: unknown = JSON.parse(
    JSON.stringify(messages, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  );
  return Array.isArray(plain) ? plain : [];
}
