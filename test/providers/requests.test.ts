import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claudeCompat, plainAnthropicCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { encodeRequest as encodeAnthropic } from "../../src/adapters/providers/anthropic/encode.ts";
import { listAt, textAt } from "../../src/adapters/providers/shared/json-read.ts";
import { chatCompats } from "../../src/adapters/providers/openai-chat/compat.ts";
import { encodeRequest as encodeChat } from "../../src/adapters/providers/openai-chat/encode.ts";
import { interruptedSuffix } from "../../src/adapters/providers/shared/project.ts";
import type { ToolCallId } from "../../src/core/base/ids.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { AssistantMessage, Message } from "../../src/core/message/types.ts";
import { scaled } from "../scale.ts";
import { path } from "./stored-paths.ts";
import { model, requestOf, wires } from "./wires.ts";

const numRuns = scaled(100);

describe.each(Object.entries(wires))("requests to %s", (_name, wire) => {
  test("are accepted by the provider for any stored path (TR1 to TR5)", () => {
    fc.assert(
      fc.property(path, (messages) => {
        expect(wire.fault(wire.encode(requestOf(messages)))).toBeNull();
      }),
      { numRuns },
    );
  });

  test("that allow no calls say so, and keep the tools that the path has called", () => {
    const word = { role: "user", content: [{ type: "text", text: "Sum up." }] } as const;
    const asked = requestOf([word]);
    // One format has the choice among its settings.
    const flat = ({ generation_config: settings, ...body }: JsonObject): JsonObject => ({
      ...body,
      ...Object(settings),
    });
    const body = flat(wire.encode({ ...asked, toolChoice: "none" }));
    const plain = flat(wire.encode(asked));
    expect(wire.fault(wire.encode({ ...asked, toolChoice: "none" }))).toBeNull();
    const added = Object.keys(body).filter((field) => !(field in plain));
    const said = added.map((field) => JSON.stringify(body[field]));
    expect([['"none"'], ['{"type":"none"}'], ['{"functionCallingConfig":{"mode":"NONE"}}']]).toContainEqual(said);
    expect({ ...body, [added[0] ?? ""]: undefined }).toEqual({ ...plain, [added[0] ?? ""]: undefined });
    expect(wire.encode({ ...asked, tools: [], toolChoice: "none" })).toEqual(wire.encode({ ...asked, tools: [] }));
  });

  test("are written the same again after being read", () => {
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

  test("TR6 are the beginning of the next request", () => {
    fc.assert(
      fc.property(path, (messages) => {
        const asked = messages.flatMap((message, at) => (message.role === "assistant" && at > 0 ? [at] : []));
        const whole = unmarked(wire.encode(requestOf(messages))[wire.path]);
        for (const at of asked) {
          const before = messages[at - 1];
          // A request is sent when there is something to answer, and only with all results.
          if (before?.role !== "user" && before?.role !== "tool") continue;
          const sent = unmarked(wire.encode(requestOf(messages.slice(0, at)))[wire.path]);
          expect(whole.slice(0, sent.length)).toEqual(sent);
        }
      }),
      { numRuns },
    );
  });

  test("contain no notices and no blank texts, and say when a reply was interrupted", () => {
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

describe("two results and a person's message", () => {
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

  test("become one user message for Anthropic, the results first", () => {
    const body = encodeAnthropic(requestOf(messages), plainAnthropicCompat, true);
    expect(listAt(body, "messages").map((message) => textAt(message, "role"))).toEqual(["user", "assistant", "user"]);
    expect(listAt(listAt(body, "messages")[2], "content")).toMatchObject([
      { type: "tool_result", tool_use_id: "a" },
      { type: "tool_result", tool_use_id: "b", is_error: true, content: [{ type: "image" }] },
      { type: "text", text: "and now?" },
    ]);
  });

  test("become one tool message each for OpenAI, then the image with the words", () => {
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
  const wire = wires[name];
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

function unmarked(messages: unknown): readonly unknown[] {
  const plain: unknown = JSON.parse(
    JSON.stringify(messages, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  );
  return Array.isArray(plain) ? plain : [];
}
