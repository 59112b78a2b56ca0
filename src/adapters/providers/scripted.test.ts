import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { assemble, assembledMessage, type Assembly, emptyAssembly } from "../../core/model/assemble.ts";
import type { LanguageModel } from "../../core/port/language-model.ts";
import { scriptedModel, scriptSchema } from "./scripted.ts";

const request = { model: "script", system: "", messages: [], tools: [], maxTokens: 10, thinking: "off" } as const;

async function reply(model: LanguageModel, signal = new AbortController().signal): Promise<Assembly> {
  let assembly = emptyAssembly;
  for await (const part of model.stream(request, signal)) assembly = assemble(assembly, part);
  return assembly;
}

describe("a scripted model", () => {
  const json = `[
    [{"type": "thinking", "text": "hm", "signature": "s"}, {"type": "text", "text": "Héllo 😀"},
     {"type": "tool-call", "name": "look", "parameters": {"at": 1}}, {"type": "tool-call", "name": "look", "parameters": "{broken"}],
    [{"type": "text", "text": "half"}, {"type": "fail", "class": "overloaded", "retryAfterMs": 5}],
    [{"type": "delay", "delayMs": 700}, {"type": "text", "text": "long"}, {"type": "stop", "reason": "max-tokens"}]
  ]`;

  test("plays one reply of a JSON file for each request, in order", async () => {
    const waits: number[] = [];
    const model = scriptedModel(v.parse(scriptSchema, JSON.parse(json)), (delayMs) => {
      waits.push(delayMs);
      return Promise.resolve();
    });
    const origin = { api: "scripted", provider: "scripted", model: "script" };
    const first = await reply(model);
    expect(assembledMessage(first, origin)?.content).toMatchObject([
      { type: "thinking", text: "hm", signature: "s" },
      { type: "text", text: "Héllo 😀" },
      { type: "tool-use", id: "script_1_1", name: "look", parameters: { at: 1 } },
      { type: "tool-use", id: "script_1_2", argumentsError: expect.any(String) },
    ]);
    expect(first.end).toMatchObject({ type: "finished", reason: "tool-use" });
    expect((await reply(model)).end).toMatchObject({
      type: "failed",
      failure: { class: "overloaded", retryable: true, retryAfterMs: 5 },
    });
    expect((await reply(model)).end).toMatchObject({ type: "finished", reason: "max-tokens" });
    expect(waits).toEqual([700]);
    expect(assembledMessage(await reply(model), origin)?.content).toEqual([
      { type: "text", text: "The script has no further reply." },
    ]);
  });

  test("ends when it is cancelled", async () => {
    const model = scriptedModel([[{ type: "text", text: "hi" }]], () => Promise.resolve());
    expect((await reply(model, AbortSignal.abort())).end).toMatchObject({
      type: "failed",
      failure: { class: "cancelled" },
    });
  });

  test("keeps a parameter of any name", () => {
    const step = { type: "tool-call", name: "look", parameters: { constructor: 1, prototype: 2 } };
    expect(v.parse(scriptSchema, [[step]])).toEqual([[step]]);
  });

  test("refuses an invalid file", () => {
    expect(v.safeParse(scriptSchema, [[{ type: "shout", text: "hi" }]]).success).toBe(false);
  });
});
