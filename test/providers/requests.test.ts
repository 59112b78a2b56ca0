import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claudeCompat, plainAnthropicCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { decodeRequest as decodeAnthropic } from "../../src/adapters/providers/anthropic/decode-request.ts";
import { encodeRequest as encodeAnthropic } from "../../src/adapters/providers/anthropic/encode.ts";
import { listAt, textAt } from "../../src/adapters/providers/json-read.ts";
import { chatCompats } from "../../src/adapters/providers/openai-chat/compat.ts";
import { decodeRequest as decodeChat } from "../../src/adapters/providers/openai-chat/decode-request.ts";
import { encodeRequest as encodeChat } from "../../src/adapters/providers/openai-chat/encode.ts";
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
import { recordedRequests, recordingsFolder } from "./recordings.ts";

const model = "claude-opus-4-8";
const tools = [
  { name: "look", description: "Looks.", inputSchema: { type: "object", properties: { at: { type: "string" } } } },
];

function requestOf(messages: readonly Message[]): ModelRequest {
  return { model, system: "Be brief.", messages, tools, maxTokens: 4096, thinking: "off" };
}

const numRuns = process.env["HEDDLE_TORTURE"] === undefined ? 100 : 5000;

interface Wire {
  encode(request: ModelRequest): JsonObject;
  decode(body: unknown): ModelRequest;
  fault(body: unknown): unknown;
}

const wires: Readonly<Record<string, Wire>> = {
  "Claude 4.8": {
    encode: (request) => encodeAnthropic(request, claudeCompat(model), true),
    decode: (body) => decodeAnthropic(body).request,
    fault: anthropicFault,
  },
  "another Messages server": {
    encode: (request) => encodeAnthropic(request, plainAnthropicCompat, false),
    decode: (body) => decodeAnthropic(body).request,
    fault: anthropicFault,
  },
  ...Object.fromEntries(
    Object.entries(chatCompats).map(([server, compat]): [string, Wire] => [
      server,
      {
        encode: (request) => encodeChat(request, compat, true),
        decode: (body) => decodeChat(body).request,
        fault: chatFault,
      },
    ]),
  ),
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
const call: fc.Arbitrary<ToolUseBlock> = fc
  .record({ id: callId, at: text, broken: fc.boolean() })
  .map(({ id, at, broken }) =>
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
);
const origin = fc.constantFrom(
  { api: "anthropic", provider: "anthropic", model },
  { api: "anthropic", provider: "anthropic", model: "claude-haiku-4-5" },
  { api: "openai-chat", provider: "openai", model },
  undefined,
);

/** One reply with what answers it. */
const exchange: fc.Arbitrary<readonly Message[]> = fc
  .record({
    asides: fc.array(aside, { maxLength: 3 }),
    calls: fc.uniqueArray(call, { maxLength: 3, selector: (block) => block.id }),
    outputs: fc.array(fc.oneof(textBlock, image), { minLength: 3, maxLength: 3 }),
    origin,
    interrupted: fc.boolean(),
    outcome: fc.constantFrom("ok", "error", "cancelled", "unknown"),
  })
  .map(({ asides, calls, outputs, origin: from, interrupted, outcome }) => {
    const assistant: AssistantMessage = {
      role: "assistant",
      content: [{ type: "text", text: "Well:" }, ...asides, ...calls],
      ...(from === undefined ? {} : { origin: from }),
      ...(interrupted ? { interrupted } : {}),
    };
    const results = calls.map((block, at): ToolMessage => ({
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

describe.each(Object.entries(wires))("requests to %s", (_name, wire) => {
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
        expect(again["messages"]).toEqual(body["messages"]);
        expect(again["tools"]).toEqual(body["tools"]);
        expect(again["system"]).toEqual(body["system"]);
      }),
      { numRuns },
    );
  });

  test("TR6 what a request sent is the beginning of what the next one sends", () => {
    fc.assert(
      fc.property(path, (messages) => {
        const asked = messages.flatMap((message, at) => (message.role === "assistant" && at > 0 ? [at] : []));
        const whole = unmarked(wire.encode(requestOf(messages))["messages"]);
        for (const at of asked) {
          const before = messages[at - 1];
          // Requests are sent when there is something to answer, and only with all results.
          if (before?.role !== "user" && before?.role !== "tool") continue;
          const sent = unmarked(wire.encode(requestOf(messages.slice(0, at)))["messages"]);
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

describe.skipIf(recordingsFolder === null)("recorded requests", () => {
  const rows = recordedRequests().filter(
    (row) => (row.api === "anthropic" || row.api === "chat") && listAt(row.req, "messages").length > 0,
  );

  test("each can be read, and what is written from it the strict rules take", () => {
    expect(rows.length).toBeGreaterThan(1400);
    const faults = rows.flatMap((row, at) => {
      const wire = row.api === "anthropic" ? wires["Claude 4.8"] : wires["openai"];
      const fault = wire?.fault(wire.encode(wire.decode(row.req)));
      return fault === null ? [] : [`${at}: ${JSON.stringify(fault)}`];
    });
    expect(faults).toEqual([]);
  });

  test("the strict rules take nearly all of what providers took; where they are stricter, it is on purpose", () => {
    const stricter =
      /empty array|must end with a user message|first message must use|non-whitespace|is empty|does not match pattern|'tool_call_id' of|Image URLs are only|Invalid value: '(?:thinking|video_url|document_url|text)'/;
    const faults = rows.flatMap((row, at) => {
      const fault = JSON.stringify(row.api === "anthropic" ? anthropicFault(row.req) : chatFault(row.req));
      return fault === "null" ? [] : [`${at}: ${fault}`];
    });
    expect(faults.filter((fault) => !stricter.test(fault))).toEqual([]);
    expect(faults.length).toBeLessThan(50);
  });
});

function unmarked(messages: unknown): readonly unknown[] {
  const plain: unknown = JSON.parse(
    JSON.stringify(messages, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  );
  return Array.isArray(plain) ? plain : [];
}
