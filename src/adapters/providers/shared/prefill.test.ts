import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/base/json.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { claudeCompat } from "../anthropic/compat.ts";
import { encodeRequest as encodeAnthropic } from "../anthropic/encode.ts";
import { anthropicFormat } from "../anthropic/format.ts";
import { chatCompats } from "../openai-chat/compat.ts";
import { encodeRequest as encodeChat } from "../openai-chat/encode.ts";
import { chatFormat } from "../openai-chat/format.ts";
import { safeRequest } from "./project.ts";

const request: ModelRequest = {
  model: "m",
  system: "",
  messages: [
    { role: "user", content: [{ type: "text", text: "Tell me a tale." }] },
    { role: "assistant", content: [{ type: "text", text: "Once upon a ti" }] },
  ],
  tools: [],
  maxTokens: 100,
  thinking: "off",
  prefill: true,
};

const deps = {
  fetch: () => Promise.reject(new Error("offline")),
  clock: { now: () => 0, monotonic: () => 0, setTimer: () => () => {} },
} as never;
const info = {
  id: "p/m",
  name: "M",
  contextTokensMax: 1_000,
  outputTokensMax: 100,
  tools: true,
  thinking: true,
  local: false,
};

function chat(server: keyof typeof chatCompats): JsonObject {
  return encodeChat(request, chatCompats[server], true);
}

function last(body: JsonObject): unknown {
  return (body["messages"] as readonly unknown[]).at(-1);
}

describe("14.18 a request that ends with the beginning of the reply", () => {
  test.each(["claude-3-7-sonnet", "claude-sonnet-4-5"])("ends so for %s", (model) => {
    const body = encodeAnthropic({ ...request, model }, claudeCompat(model), true);
    expect(last(body)).toMatchObject({ role: "assistant", content: [{ type: "text", text: "Once upon a ti" }] });
    expect(anthropicFormat.open({ info, name: model, baseUrl: "https://a.test", compat: {} }, deps).info.prefill).toBe(
      true,
    );
  });

  test("is not offered by Claude from 4.6 on, nor by OpenAI", () => {
    const claude = { info, name: "claude-opus-4-6", baseUrl: "https://a.test", compat: {} };
    expect(anthropicFormat.open(claude, deps).info.prefill).toBeUndefined();
    const openai = { info, name: "gpt-4o", baseUrl: "https://api.openai.com/v1", compat: {} };
    expect(chatFormat.open(openai, deps).info.prefill).toBeUndefined();
    expect(chatFormat.open({ ...openai, compat: { prefill: "last-message" } }, deps).info.prefill).toBe(true);
  });

  test("is marked as each server behind the chat format wants it", () => {
    const words = { role: "assistant", content: "Once upon a ti" };
    expect(last(chat("mistral"))).toEqual({ ...words, prefix: true });
    expect(last(chat("llama.cpp"))).toEqual(words);
    expect(chat("vllm")).toMatchObject({ continue_final_message: true, add_generation_prompt: false });
    expect(last(chat("vllm"))).toEqual(words);
    const { prefill: _not, ...ordinary } = request;
    const asked = encodeChat(ordinary, chatCompats.vllm, true);
    expect(asked["continue_final_message"]).toBeUndefined();
  });

  test("is asked again with a person's words at its end, where a server refuses it", () => {
    const body = encodeChat(safeRequest(request), chatCompats["llama.cpp"], true);
    expect(last(body)).toEqual({ role: "user", content: "Continue." });
  });
});
