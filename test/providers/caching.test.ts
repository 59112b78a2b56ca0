import { describe, expect, test } from "vitest";
import { claudeCompat, plainAnthropicCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { decodeRequest } from "../../src/adapters/providers/anthropic/decode-request.ts";
import { encodeRequest } from "../../src/adapters/providers/anthropic/encode.ts";
import { listAt, textAt } from "../../src/adapters/providers/shared/json-read.ts";
import { chatCompats } from "../../src/adapters/providers/openai-chat/compat.ts";
import { encodeRequest as encodeChat } from "../../src/adapters/providers/openai-chat/encode.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import { encodeRequest as encodeResponses } from "../../src/adapters/providers/openai-responses/encode.ts";
import { isJsonObject } from "../../src/core/base/json.ts";
import type { Message } from "../../src/core/message/types.ts";
import { anthropicFault } from "../../src/testing/mock-provider/anthropic-rules.ts";
import { model, requestOf } from "./wires.ts";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const said = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const mark = { type: "ephemeral" };

/** Returns the marked entries of a body: the last of the system, the last of the tools, and which messages. */
function marksOf(body: unknown): readonly string[] {
  const marked = (entry: unknown): boolean => isJsonObject(entry) && entry["cache_control"] !== undefined;
  return [
    ...(marked(listAt(body, "system").at(-1)) ? ["system"] : []),
    ...(marked(listAt(body, "tools").at(-1)) ? ["tools"] : []),
    ...listAt(body, "messages").flatMap((message, at) => (listAt(message, "content").some(marked) ? [String(at)] : [])),
  ];
}

describe("the marks of Claude's cache", () => {
  const claude = claudeCompat(model);
  test.each<readonly [string, readonly Message[], readonly string[]]>([
    ["the first question", [user("a")], ["system", "tools", "0"]],
    ["the second question, after a marked beginning", [user("a"), said("b"), user("c")], ["system", "tools", "0", "2"]],
    [
      "the third, with the mark of the second",
      [user("a"), said("b"), user("c"), said("d"), user("e")],
      ["system", "tools", "2", "4"],
    ],
  ])("are at the end of system, tools and %s", (_what, messages, expected) => {
    const body = encodeRequest(requestOf(messages), claude, true);
    expect(marksOf(body)).toEqual(expected);
    expect(anthropicFault(body)).toBeNull();
  });

  test("are not sent to servers without such a cache", () => {
    expect(marksOf(encodeRequest(requestOf([user("a")]), plainAnthropicCompat, true))).toEqual([]);
  });

  test.each([
    ["system", { system: [{ type: "text", text: "s", cache_control: mark }] }, ["system"]],
    ["the whole body", { cache_control: mark }, []],
    [
      "three places",
      { system: ["s", "t", "u"].map((text) => ({ type: "text", text, cache_control: mark })) },
      ["system"],
    ],
  ])("of a client's own in %s are the only ones of its request", (_where, fields, expected) => {
    const messages = [user("a"), said("b"), user("c")].map(({ role, content }) => ({ role, content }));
    const { request } = decodeRequest({ model, max_tokens: 9, messages, ...fields });
    const body = encodeRequest(request, claude, false);
    expect(marksOf(body)).toEqual(expected);
    expect(anthropicFault(body)).toBeNull();
  });
});

describe("the key of OpenAI's cache", () => {
  const keys = (messages: readonly Message[]): readonly (string | undefined)[] => [
    textAt(encodeChat(requestOf(messages), chatCompats.openai, true), "prompt_cache_key"),
    textAt(encodeResponses(requestOf(messages), responsesCompat("gpt-5.4"), true), "prompt_cache_key"),
  ];
  test("is the same for all requests of a conversation, and differs between conversations", () => {
    expect(keys([user("a"), said("b"), user("c")])).toEqual(keys([user("a")]));
    expect(keys([user("x")])).not.toEqual(keys([user("a")]));
  });
});
