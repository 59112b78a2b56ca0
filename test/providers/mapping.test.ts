import { describe, expect, test } from "vitest";
import { decodeRequest as decodeAnthropic } from "../../src/adapters/providers/anthropic/decode-request.ts";
import { plainAnthropicCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { encodeRequest as encodeAnthropic } from "../../src/adapters/providers/anthropic/encode.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { decodeRequest as decodeGemini } from "../../src/adapters/providers/gemini/decode-request.ts";
import { encodeRequest as encodeGemini } from "../../src/adapters/providers/gemini/encode.ts";
import { listAt, objectAt, textAt } from "../../src/adapters/providers/shared/json-read.ts";
import { plainChatCompat } from "../../src/adapters/providers/openai-chat/compat.ts";
import { decodeRequest as decodeChat } from "../../src/adapters/providers/openai-chat/decode-request.ts";
import { encodeRequest as encodeChat } from "../../src/adapters/providers/openai-chat/encode.ts";
import type { ToolCallId } from "../../src/core/base/ids.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { Message, ToolUseBlock } from "../../src/core/message/types.ts";
import { requestOf } from "./wires.ts";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const use = (id: string, parameters: JsonObject = {}): ToolUseBlock => ({
  type: "tool-use",
  id: id as ToolCallId,
  name: "look",
  parameters,
});
const result = (id: string, text: string): Message => ({
  role: "tool",
  tool_call_id: id as ToolCallId,
  tool_name: "look",
  content: [{ type: "text", text }],
  outcome: "ok",
});

describe("F-42 each provider's form of calls and results", () => {
  test("F-42 OpenAI's arguments are JSON text in both directions, in the spelling they arrived in", () => {
    const spelled = '{ "b": 1,\n"a": "é" }';
    const call = { id: "call_1", type: "function", function: { name: "look", arguments: spelled } };
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "seen" },
    ];
    const { request } = decodeChat({ model: "m", messages });
    const [, reply] = request.messages;
    expect(reply?.content[0]).toMatchObject({ type: "tool-use", parameters: { a: "é", b: 1 }, rawParameters: spelled });
    const { native: _own, ...plain } = request;
    expect(listAt(encodeChat(plain, plainChatCompat, false), "messages")).toEqual(messages);
    // Parameters that never were text become text.
    const sent = encodeChat(
      requestOf([user("hi"), { role: "assistant", content: [use("c", { a: "é" })] }, result("c", "")]),
      plainChatCompat,
      false,
    );
    expect(textAt(objectAt(listAt(listAt(sent, "messages")[2], "tool_calls")[0], "function"), "arguments")).toBe(
      '{"a":"é"}',
    );
  });

  test("F-42 Anthropic's order of text, call, text is kept", () => {
    const content = [
      { type: "text" as const, text: "one" },
      use("toolu_1"),
      { type: "text" as const, text: "two" },
    ] as const;
    const sent = encodeAnthropic(
      requestOf([user("hi"), { role: "assistant", content }, result("toolu_1", "seen")]),
      plainAnthropicCompat,
      false,
    );
    const blocks = listAt(listAt(sent, "messages")[1], "content");
    expect(blocks.map((block) => textAt(block, "text") ?? textAt(block, "type"))).toEqual(["one", "tool_use", "two"]);
    expect(decodeAnthropic(sent).request.messages[1]?.content).toMatchObject(content);
  });

  test("F-42 Google's results are objects under any key, and calls with one name get their results in order", () => {
    const call = (at: number): object => ({ functionCall: { name: "look", args: { at } } });
    const answer = (response: object): object => ({ functionResponse: { name: "look", response } });
    const contents = [
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [call(1), call(2), call(3)] },
      { role: "user", parts: [answer({ result: "first" }), answer({ output: "second" }), answer({ temperature: 21 })] },
    ];
    const target = { model: "gemini-2.5-flash", stream: false };
    const { request } = decodeGemini({ contents }, target);
    const results = request.messages.filter((message) => message.role === "tool");
    expect(results.map((message) => message.content[0])).toMatchObject([
      { text: "first" },
      { text: "second" },
      { text: '{"temperature":21}' },
    ]);
    expect(new Set(results.map((message) => message.tool_call_id)).size).toBe(3);
    expect(encodeGemini(request, geminiCompat(target.model))["contents"]).toEqual(contents);
    // Otherwise each result is an object with one key that every model of the format knows.
    const { native: _own, ...plain } = request;
    const elsewhere = {
      ...plain,
      messages: plain.messages.map((message) =>
        message.role === "tool" ? result(message.tool_call_id, "seen") : message,
      ),
    };
    const sent = listAt(listAt(encodeGemini(elsewhere, geminiCompat(target.model)), "contents")[2], "parts");
    expect(sent.map((part) => objectAt(objectAt(part, "functionResponse"), "response"))).toEqual([
      { output: "seen" },
      { output: "seen" },
      { output: "seen" },
    ]);
  });

  test("F-42 trailing spaces of a reply to continue are removed for Anthropic, and only at the very end", () => {
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "well  " },
      { role: "user", content: "and?" },
      { role: "assistant", content: "so  \n" },
    ];
    const texts = (body: unknown): readonly unknown[] =>
      listAt(body, "messages").map(
        (message) => textAt(message, "content") ?? textAt(listAt(message, "content")[0], "text"),
      );
    const anthropic = encodeAnthropic(
      decodeAnthropic({ model: "m", max_tokens: 9, messages }).request,
      plainAnthropicCompat,
      false,
    );
    expect(texts(anthropic)).toEqual(["hi", "well  ", "and?", "so"]);
    expect(texts(encodeChat(decodeChat({ model: "m", messages }).request, plainChatCompat, false))).toEqual([
      "hi",
      "well  ",
      "and?",
      "so  \n",
    ]);
  });
});
