import { describe, expect, test } from "vitest";
import { listAt, objectAt, textAt } from "../../src/adapters/providers/shared/json-read.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import {
  type ChatCompat,
  chatCompats,
  type ChatServer,
  chatServerOf,
  plainChatCompat,
} from "../../src/adapters/providers/openai-chat/compat.ts";
import { encodeRequest } from "../../src/adapters/providers/openai-chat/encode.ts";
import type { ToolCallId } from "../../src/core/base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/base/json.ts";
import type { AssistantMessage, Message, ThinkingBlock, ToolMessage } from "../../src/core/message/types.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import { chatFault } from "../../src/testing/mock-provider/chat-rules.ts";

const model = "some-model";
const from = { api: "openai-chat", provider: "p", model };
const user = (...texts: readonly [string, ...string[]]): Message => {
  const [first, ...rest] = texts.map((text) => ({ type: "text" as const, text }));
  return { role: "user", content: [first ?? { type: "text", text: "" }, ...rest] };
};
const image = { type: "image", mediaType: "image/png", source: { type: "base64", data: "aGk=" } } as const;
const thought = (more: Partial<ThinkingBlock> = {}): ThinkingBlock => ({ type: "thinking", text: "hmm", ...more });
const hello = { type: "text", text: "hello" } as const;
const use = { type: "tool-use", id: "call_1" as ToolCallId, name: "look", parameters: {} } as const;
const said = (...content: AssistantMessage["content"]): AssistantMessage => ({
  role: "assistant",
  content,
  origin: from,
});
const result = (content: ToolMessage["content"] = [{ type: "text", text: "seen" }]): ToolMessage => ({
  role: "tool",
  tool_call_id: use.id,
  tool_name: "look",
  content,
  outcome: "ok",
});
const tool = { name: "look", description: "Looks.", inputSchema: { type: "object" } };

function bodyFor(
  compat: Partial<ChatCompat>,
  messages: readonly Message[],
  more: Partial<ModelRequest> = {},
): JsonObject {
  const request = {
    model,
    system: "Be brief.",
    messages,
    tools: [tool],
    maxTokens: 100,
    thinking: "off",
    ...more,
  } as const;
  const body = encodeRequest(request, { ...plainChatCompat, ...compat }, true);
  // The strict server is one of those that begin another message unless the last one is marked.
  if (request.prefill !== true || compat.prefill !== "last-message") expect(chatFault(body)).toBeNull();
  return body;
}

const messagesOf = (body: JsonObject): readonly JsonObject[] => listAt(body, "messages").filter(isJsonObject);
const rolesOf = (body: JsonObject): string =>
  messagesOf(body)
    .map((message) => textAt(message, "role"))
    .join(" ");

/** The effect of each flag on a request: its two settings, and the part of the body that differs. */
interface FlagCase<Flag extends keyof ChatCompat> {
  readonly messages?: readonly Message[];
  readonly request?: Partial<ModelRequest>;
  readonly see: (body: JsonObject) => unknown;
  readonly cases: readonly (readonly [ChatCompat[Flag], unknown])[];
}

const hi = [user("hi")];
const asked = [user("hi"), said(use), result()];
const own =
  (fields: Record<string, Json>) =>
  (body: JsonObject): unknown =>
    Object.fromEntries(Object.keys(fields).map((key) => [key, body[key]]));
const reply = (body: JsonObject): unknown => {
  const {
    role: _role,
    tool_calls: _calls,
    ...rest
  } = messagesOf(body).find((each) => each["role"] === "assistant") ?? {};
  return rest;
};

const flags: { readonly [Flag in Exclude<keyof ChatCompat, "finishReason">]: FlagCase<Flag> } = {
  maxTokensField: {
    see: own({ max_tokens: 0, max_completion_tokens: 0 }),
    cases: [
      ["max_tokens", { max_tokens: 100 }],
      ["max_completion_tokens", { max_completion_tokens: 100 }],
    ],
  },
  systemRole: {
    see: (body) => messagesOf(body)[0],
    cases: [
      ["system", { role: "system", content: "Be brief." }],
      ["developer", { role: "developer", content: "Be brief." }],
    ],
  },
  systemInside: {
    messages: [user("hi"), { role: "system", content: [{ type: "text", text: "Now." }] }],
    see: (body) => messagesOf(body).slice(1),
    cases: [
      [
        true,
        [
          { role: "user", content: "hi" },
          { role: "system", content: "Now." },
        ],
      ],
      [false, [{ role: "user", content: "hi\n\n<system-update>\nNow.\n</system-update>" }]],
    ],
  },
  textLists: {
    messages: [user("a", "b")],
    see: (body) => messagesOf(body)[1]?.["content"],
    cases: [
      [false, "a\n\nb"],
      [
        true,
        [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      ],
    ],
  },
  adjacentRoles: {
    messages: [user("a"), user("b")],
    see: rolesOf,
    cases: [
      [false, "system user"],
      [true, "system user user"],
    ],
  },
  images: {
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }, image] }],
    see: (body) => JSON.stringify(body).includes("image_url"),
    cases: [
      [true, true],
      [false, false],
    ],
  },
  imageInToolResult: {
    messages: [user("hi"), said(use), result([{ type: "text", text: "seen" }])],
    see: rolesOf,
    cases: [
      [false, "system user assistant tool"],
      [true, "system user assistant tool"],
    ],
  },
  streamUsage: {
    see: own({ stream_options: 0 }),
    cases: [
      [true, { stream_options: { include_usage: true } }],
      [false, {}],
    ],
  },
  parallelToolCalls: {
    see: own({ parallel_tool_calls: 0 }),
    cases: [
      [true, { parallel_tool_calls: true }],
      [false, {}],
    ],
  },
  prefill: {
    messages: [user("hi"), said(hello)],
    request: { prefill: true },
    see: (body) => [messagesOf(body).at(-1), body["continue_final_message"], body["add_generation_prompt"]],
    cases: [
      ["none", [{ role: "user", content: "Continue." }, undefined, undefined]],
      ["last-message", [{ role: "assistant", content: "hello" }, undefined, undefined]],
      ["prefix", [{ role: "assistant", content: "hello", prefix: true }, undefined, undefined]],
      ["continue_final_message", [{ role: "assistant", content: "hello" }, true, false]],
    ],
  },
  toolResultName: {
    messages: asked,
    see: (body) => messagesOf(body).at(-1)?.["name"],
    cases: [
      [true, "look"],
      [false, undefined],
    ],
  },
  assistantAfterResults: {
    messages: [...asked, user("and?")],
    see: rolesOf,
    cases: [
      [false, "system user assistant tool user"],
      [true, "system user assistant tool assistant user"],
    ],
  },
  thinkingField: {
    request: { thinking: "low" },
    see: own({ reasoning_effort: 0, reasoning: 0, thinking: 0, enable_thinking: 0, chat_template_kwargs: 0 }),
    cases: [
      ["none", {}],
      ["reasoning_effort", { reasoning_effort: "low" }],
      ["reasoning", { reasoning: { effort: "low" } }],
      ["thinking", { thinking: { type: "enabled" } }],
      ["enable_thinking", { enable_thinking: true }],
      ["chat_template_kwargs", { chat_template_kwargs: { enable_thinking: true } }],
    ],
  },
  thinkingReplay: {
    messages: [user("hi"), said(thought(), { type: "text", text: "hello" }), user("more")],
    see: reply,
    cases: [
      ["none", { content: "hello" }],
      ["reasoning_content", { content: "hello", reasoning_content: "hmm" }],
      ["reasoning", { content: "hello", reasoning: "hmm" }],
      ["reasoning_details", { content: "hello", reasoning: "hmm" }],
      ["text", { content: "hmm\n\nhello" }],
      [
        "content",
        {
          content: [
            { type: "thinking", thinking: [{ type: "text", text: "hmm" }] },
            { type: "text", text: "hello" },
          ],
        },
      ],
    ],
  },
  thinkingWithCalls: {
    messages: asked,
    see: (body) => messagesOf(body)[2]?.["none"],
    cases: [
      [false, undefined],
      [true, ""],
    ],
  },
  toolIds: {
    messages: asked,
    see: (body) => /^[a-zA-Z0-9]{9}$/.test(textAt(messagesOf(body).at(-1), "tool_call_id") ?? ""),
    cases: [
      ["plain", false],
      ["nine-characters", true],
    ],
  },
  temperature: {
    request: { temperature: 0.5 },
    see: own({ temperature: 0 }),
    cases: [
      [true, { temperature: 0.5 }],
      [false, {}],
    ],
  },
  storeField: {
    see: own({ store: false }),
    cases: [
      [true, { store: false }],
      [false, {}],
    ],
  },
  cacheKey: {
    see: (body) => /^heddle-[0-9a-f]{8}$/.test(textAt(body, "prompt_cache_key") ?? ""),
    cases: [
      [true, true],
      [false, false],
    ],
  },
  cacheMarks: {
    request: { model: "anthropic/claude-opus-4.8" },
    see: (body) => messagesOf(body).filter((message) => JSON.stringify(message).includes("cache_control")).length,
    cases: [
      [true, 2],
      [false, 0],
    ],
  },
  webSearch: {
    request: { serverTools: [{ kind: "web-search", stores: [] }] },
    see: (body) => body["plugins"],
    cases: [
      ["plugin", [{ id: "web" }]],
      ["none", undefined],
    ],
  },
};

const rows = Object.entries(flags).flatMap(([flag, { cases, see, messages = hi, request = {} }]) =>
  cases.map(([value, expected]) => ({ flag, value, expected, see, messages, request })),
);

describe("a flag of a server's record", () => {
  test.each(rows)("$flag $value shapes the request", ({ flag, value, expected, see, messages, request }) => {
    expect(see(bodyFor({ [flag]: value }, messages, request))).toEqual(expected);
  });

  test("imageInToolResult keeps an image with its result, for a server that accepts it there", () => {
    const messages = [user("hi"), said(use), result([{ type: "text", text: "seen" }, image])];
    const request = { model, system: "", messages, tools: [], maxTokens: 1, thinking: "off" } as const;
    const inside = encodeRequest(request, { ...plainChatCompat, imageInToolResult: true }, true);
    expect(rolesOf(inside)).toBe("user assistant tool");
    expect(messagesOf(inside).at(-1)?.["content"]).toMatchObject([{ type: "text" }, { type: "image_url" }]);
    expect(rolesOf(bodyFor({}, messages))).toBe("system user assistant tool user");
  });

  test.each([
    [true, "failed"],
    [false, "finished"],
  ])("finishReason %s makes a reply that just stops %s", (finishReason, expected) => {
    const codec = chatCodec({ ...plainChatCompat, finishReason });
    const decoded = codec.decodeChunk(codec.start, { data: '{"choices":[{"index":0,"delta":{"content":"hi"}}]}' });
    expect(codec.decodeEnd(decoded.state).at(-1)?.type).toBe(expected);
    // An empty reply is no reply on any server.
    expect(codec.decodeEnd(codec.start).at(-1)?.type).toBe("failed");
  });
});

/** A reply's thinking as the server streams it, and the field that sends it back. */
const servers: readonly (readonly [ChatServer, string, string, Json, JsonObject])[] = [
  ["ollama", "http://127.0.0.1:11434/v1", "max_tokens", { reasoning: "hmm" }, { reasoning: "hmm" }],
  ["llama.cpp", "http://localhost:8080", "max_tokens", { reasoning_content: "hmm" }, { reasoning_content: "hmm" }],
  ["vllm", "http://localhost:8000/v1", "max_tokens", { reasoning: "hmm" }, { reasoning: "hmm" }],
  ["deepseek", "https://api.deepseek.com", "max_tokens", { reasoning_content: "hmm" }, { reasoning_content: "hmm" }],
  [
    "mistral",
    "https://api.mistral.ai/v1",
    "max_tokens",
    { content: [{ type: "thinking", thinking: [{ type: "text", text: "hmm" }] }] },
    {
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "hmm" }] },
        { type: "text", text: "hello" },
      ],
    },
  ],
  [
    "openrouter",
    "https://openrouter.ai/api/v1",
    "max_tokens",
    { reasoning: "hmm", reasoning_details: [{ type: "reasoning.text", text: "hmm", signature: "s", index: 0 }] },
    { reasoning_details: [{ type: "reasoning.text", text: "hmm", signature: "s", index: 0 }] },
  ],
  ["groq", "https://api.groq.com/openai/v1", "max_completion_tokens", { reasoning: "hmm" }, { reasoning: "hmm" }],
  ["github", "https://models.github.ai/inference", "max_tokens", { reasoning_text: "hmm" }, {}],
  ["github", "https://api.githubcopilot.com", "max_tokens", { reasoning_text: "hmm" }, {}],
  [
    "qwen",
    "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    "max_tokens",
    { reasoning_content: "hmm" },
    { reasoning_content: "hmm" },
  ],
  ["zai", "https://api.z.ai/api/paas/v4", "max_tokens", { reasoning_content: "hmm" }, { reasoning_content: "hmm" }],
  ["openai", "https://api.openai.com/v1", "max_completion_tokens", {}, {}],
  ["other", "https://example.org/v1", "max_tokens", {}, {}],
];

describe("a known server", () => {
  test.each(servers.map(([server, url, maxTokens, delta, back]) => [server, url, maxTokens, delta, back] as const))(
    "%s at %s: thinking is read, and sent back in the field the server reads",
    (server, url, maxTokens, delta, back) => {
      expect(chatServerOf(url)).toBe(server);
      const compat = chatCompats[server];
      const codec = chatCodec(compat);
      const chunks = [
        { id: "c", model, choices: [{ index: 0, delta }] },
        { id: "c", model, choices: [{ index: 0, delta: { content: "hello" }, finish_reason: "stop" }] },
      ];
      let state = codec.start;
      const parts = chunks.flatMap((chunk) => {
        const decoded = codec.decodeChunk(state, { data: JSON.stringify(chunk) });
        ({ state } = decoded);
        return decoded.parts;
      });
      const ended = parts.flatMap((part) => (part.type === "thinking-end" ? [part.native] : []));
      const thinks = parts.some((part) => part.type === "thinking-delta" && part.text === "hmm");
      expect(thinks).toBe(Object.keys(delta ?? {}).length > 0);
      const [native] = ended;
      const block = thought(native === undefined ? {} : { native });
      const messages = [user("hi"), thinks ? said(block, hello) : said(hello), user("more")];
      const body = codec.encode({ model, system: "", messages, tools: [], maxTokens: 7, thinking: "off" }, true);
      expect(reply(body)).toEqual({ content: "hello", ...back });
      expect(body[maxTokens]).toBe(7);
      expect(chatFault(body)).toBeNull();
    },
  );

  test("a signature in a call of Google's models is sent back with the call", () => {
    const codec = chatCodec(chatCompats.other);
    const extra = { google: { thought_signature: "c2ln" } };
    const call = {
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: "look", arguments: "{}" },
      extra_content: extra,
    };
    const chunk = { model, choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] };
    const decoded = codec.decodeChunk(codec.start, { data: JSON.stringify(chunk) });
    const end = [...decoded.parts, ...codec.decodeEnd(decoded.state)].find((part) => part.type === "tool-call-end");
    const native = end?.type === "tool-call-end" ? end.native : undefined;
    const messages = [user("hi"), said({ ...use, ...(native === undefined ? {} : { native }) }), result()];
    const body = codec.encode({ model, system: "", messages, tools: [], maxTokens: 7, thinking: "off" }, true);
    expect(objectAt(listAt(messagesOf(body)[1], "tool_calls")[0], "extra_content")).toEqual(extra);
  });
});
