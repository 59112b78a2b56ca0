import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/base/json.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { ReplyBounds, replyBounds } from "./bounded-reply.ts";
import { chatCodec } from "../openai-chat/codec.ts";
import { chatCompats } from "../openai-chat/compat.ts";
import { createHttpModel } from "./http-model.ts";

const key = "sk-very-secret-0123456789";

function bounded(...parts: readonly StreamPart[]): readonly StreamPart[] {
  const bounds = new ReplyBounds(key);
  const taken: StreamPart[] = [];
  for (const part of parts) if (!bounds.over) taken.push(bounds.take(part));
  return taken;
}

const end: StreamPart = { type: "finished", reason: "end-turn", usage: noUsage };

function nested(depth: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < depth; level += 1) value = { inner: value };
  return value;
}

function sentence(part: StreamPart | undefined): string {
  return part?.type === "failed" ? part.failure.message : "";
}

describe("a reply beyond a bound ends as a failure and keeps what came before it", () => {
  test("too much text ends the reply", async () => {
    const half: StreamPart = { type: "text-delta", index: 0, text: "x".repeat(replyBounds.units / 2) };
    const taken = bounded({ type: "text-start", index: 0 }, half, half, half, end);
    expect(taken.map(({ type }) => type)).toEqual(["text-start", "text-delta", "text-delta", "failed"]);
    expect(sentence(taken.at(-1))).toBe("The provider sent a reply of more than 16777216 characters.");
  });

  test("too many tool calls end the reply", async () => {
    const calls = Array.from({ length: replyBounds.calls + 1 }, (_, index): StreamPart => {
      return { type: "tool-call-start", index, id: `c${index}`, name: "look" };
    });
    const taken = bounded(...calls, end);
    expect(taken).toHaveLength(replyBounds.calls + 1);
    expect(sentence(taken.at(-1))).toBe("The provider sent more than 256 tool calls in one reply.");
  });

  test.each(["text-start", "thinking-start"] as const)("too many pieces of type %s end the reply", async (type) => {
    const pieces = Array.from({ length: 100_000 }, (_, index): StreamPart => ({ type, index }));
    const taken = bounded(...pieces, end);
    expect(taken).toHaveLength(replyBounds.blocks + 1);
    expect(sentence(taken.at(-1))).toBe("The provider sent more than 2000 pieces in one reply.");
  });

  test("content nested too deeply ends the reply", async () => {
    const raw = nested(20_000);
    const opaque = bounded({ type: "opaque", index: 0, api: "a", raw }, end);
    expect(opaque.map(sentence)).toEqual(["The provider sent something nested more than 256 deep."]);
    const native = { api: "a", data: raw };
    const extras = bounded({ type: "text-start", index: 0 }, { type: "text-end", index: 0, native }, end);
    expect(sentence(extras.at(-1))).toBe("The provider sent something nested more than 256 deep.");
  });
});

test("long ids, call names and error messages are cut", async () => {
  const [call, failed] = bounded(
    { type: "tool-call-start", index: 0, id: "i".repeat(100_000), name: "n".repeat(100_000) },
    { type: "failed", failure: { class: "unknown", message: "E".repeat(9_000_000), retryable: false } },
  );
  expect(call).toMatchObject({ id: "i".repeat(256), name: "n".repeat(256) });
  expect(sentence(failed)).toHaveLength(2_000);
});

test("token counts are whole numbers from 0 up, whatever the provider sends", async () => {
  const usage = { inputTokens: -5, outputTokens: 1e300, cachedInputTokens: Number.NaN, thinkingTokens: 1.5 };
  const [finished] = bounded({ type: "finished", reason: "end-turn", usage });
  expect(finished).toMatchObject({ usage: { ...noUsage, thinkingTokens: 2 } });
});

test.each([
  ["as its error code", JSON.stringify({ error: { message: "Refused.", code: key, type: key } })],
  ["where the message is cut", `${"x".repeat(480)}${key}`],
  ["twice in a page", `<html><title>${key} ${key}</title>`],
])("a key that the provider repeats %s is removed", async (_where, body) => {
  const model = createHttpModel(
    {
      baseUrl: "https://models.example",
      streamed: true,
      apiKey: key,
      codec: chatCodec(chatCompats.openai),
      info: {
        id: "openai/gpt",
        name: "GPT",
        contextTokensMax: 1_000,
        outputTokensMax: 100,
        tools: true,
        thinking: false,
        local: false,
      },
    },
    {
      fetch: () => Promise.resolve(new Response(body, { status: 401 })),
      clock: { now: () => 0, monotonic: () => 0, setTimer: () => () => undefined },
    },
  );
  const said: StreamPart[] = [];
  const request = { model: "gpt", system: "", messages: [], tools: [], maxTokens: 10, thinking: "off" } as const;
  for await (const part of model.stream(request, new AbortController().signal)) said.push(part);
  expect(said.map(({ type }) => type)).toEqual(["failed"]);
  expect(JSON.stringify(said)).not.toContain(key.slice(0, 10));
});
