import { afterEach, describe, expect, test } from "vitest";
import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { claudeCompat, plainAnthropicCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { geminiCodec } from "../../src/adapters/providers/gemini/codec.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { interactionsCodec } from "../../src/adapters/providers/gemini-interactions/codec.ts";
import { interactionsCompat } from "../../src/adapters/providers/gemini-interactions/compat.ts";
import { createHttpModel } from "../../src/adapters/providers/shared/http-model.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { chatCompats } from "../../src/adapters/providers/openai-chat/compat.ts";
import { responsesCodec } from "../../src/adapters/providers/openai-responses/codec.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import { createScribe } from "../../src/adapters/providers/scribe/scribe.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import { type MockProvider, startMockProvider } from "../../src/testing/mock-provider/server.ts";
import { driveTurn, lastWords } from "./drive.ts";
import { pureCanvas } from "./pure-canvas.ts";
import { infoOf, noSleep, realDeps } from "./test-deps.ts";

const open: MockProvider[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((mock) => mock.close()));
});

const document =
  "# Notes\n\nThis is really a very short introduction, in order to be tightened — naïvely, with 😀.\n\n## Goals\n\n- one\n";
const request =
  'Tighten the introduction and add a section on conflict résolution 😀 after Goals, then replace "one" with "two".';

describe("the scribe's brain behind a real wire", () => {
  const scribe = createScribe(noSleep);
  test.each([
    ["anthropic", "claude-opus-4-8", true],
    ["anthropic", "claude-sonnet-4-5", false],
    ["anthropic", "some-other-model", true],
    ["chat", "openai", true],
    ["chat", "openai", false],
    ["chat", "mistral", true],
    ["chat", "llama.cpp", true],
    ["chat", "openrouter", true],
    ["responses", "gpt-5.4", true],
    ["responses", "gpt-4o", false],
    ["gemini", "gemini-3-flash-preview", true],
    ["gemini", "gemini-2.5-flash", true],
    ["gemini", "gemini-3-flash-preview", false],
    ["interactions", "gemini-3-flash-preview", true],
    ["interactions", "gemini-2.5-flash", false],
  ] as const)("edits as it does at home: %s %s, streamed %s", async (api, variant, streamed) => {
    const mock = await startMockProvider({
      api,
      reply: (asked, signal) => scribe.stream(asked, signal),
      apiKey: "key",
    });
    open.push(mock);
    const shared = { baseUrl: mock.url, apiKey: "key", streamed } as const;
    const model = ((): LanguageModel => {
      switch (api) {
        case "anthropic": {
          const codec = anthropicCodec(variant.includes("claude") ? claudeCompat(variant) : plainAnthropicCompat);
          return createHttpModel({ ...shared, info: infoOf(`anthropic/${variant}`), codec }, realDeps);
        }
        case "chat": {
          const codec = chatCodec(chatCompats[variant]);
          return createHttpModel({ ...shared, info: infoOf("openai/gpt"), codec }, realDeps);
        }
        case "responses": {
          const codec = responsesCodec(responsesCompat(variant));
          return createHttpModel({ ...shared, info: infoOf(`openai/${variant}`), codec }, realDeps);
        }
        case "gemini": {
          const codec = geminiCodec(geminiCompat(variant));
          return createHttpModel({ ...shared, info: infoOf(`google/${variant}`), codec }, realDeps);
        }
        case "interactions": {
          const codec = interactionsCodec(interactionsCompat(variant));
          return createHttpModel({ ...shared, info: infoOf(`google/${variant}`), codec }, realDeps);
        }
      }
    })();
    const far = pureCanvas(document);
    const near = pureCanvas(document);
    const spoken = await driveTurn(model, far, request);
    await driveTurn(scribe, near, request);
    expect(mock.rejections).toEqual([]);
    expect(far.text).toBe(near.text);
    expect(far.text).not.toBe(document);
    expect(far.log).toEqual(near.log);
    expect(lastWords(spoken)).toContain("“Conflict résolution 😀”");
    expect(mock.requests.length).toBe(far.log.length + 1);
  });
});
