import { describe, expect, test } from "vitest";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { decodeRequest as decodeGemini } from "../../src/adapters/providers/gemini/decode-request.ts";
import { encodeRequest as encodeGemini } from "../../src/adapters/providers/gemini/encode.ts";
import { listAt, textAt } from "../../src/adapters/providers/shared/json-read.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import { encodeRequest as encodeResponses } from "../../src/adapters/providers/openai-responses/encode.ts";
import type { ToolCallId } from "../../src/core/base/ids.ts";
import type {
  AssistantMessage,
  Message,
  ToolMessage,
  ToolUseBlock,
  UserContentBlock,
} from "../../src/core/message/types.ts";
import { geminiWire, model, requestOf, wires } from "./wires.ts";

describe("what Heddle sends back to Responses", () => {
  const from = { api: "openai-responses", provider: "openai", model } as const;
  const wire = wires["Responses, gpt-5.4"];
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
    ["not if that is gone", [{ type: "text", text: "hello" }, thinking], ["message"]],
    [
      "not if only a notice is left of it",
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

  test("reasoning that a person cut off before its result is dropped", () => {
    const cut: AssistantMessage = { role: "assistant", content: [thinking], origin: from, interrupted: true };
    expect(JSON.stringify(wire?.encode(requestOf([hi, cut, hi])))).not.toContain("ZW5j");
  });

  test("requests ask for no storage, items have no ids, and reasoning is encrypted", () => {
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

describe("base64url bytes, as Google's clients write them", () => {
  const given = "_-8";
  const path: readonly Message[] = [
    { role: "user", content: [{ type: "image", mediaType: "image/png", source: { type: "base64", data: given } }] },
  ];
  test.each(Object.entries(wires))("reach %s as plain base64 with padding", (_name, wire) => {
    expect(JSON.stringify(wire.encode(requestOf(path)))).toContain("/+8=");
  });
});

describe("what Heddle sends back to Gemini", () => {
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

  test("each signature keeps its place", () => {
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

  test("a request reads the same in both spellings of its keys", () => {
    const reply: AssistantMessage = { role: "assistant", origin: from, content: [use("a", "s2")] };
    const body = geminiWire("gemini-3-flash-preview").encode(requestOf([hi, reply, result("a", image), hi]));
    const read = (given: unknown): object => ({
      ...decodeGemini(given, { model, stream: true }).request,
      // Content that is sent back unchanged keeps its spelling.
      native: undefined,
    });
    expect(read(snakeCased(body))).toEqual(read(body));
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
