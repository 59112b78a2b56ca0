import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { claudeCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { geminiCodec } from "../../src/adapters/providers/gemini/codec.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { interactionsCodec } from "../../src/adapters/providers/gemini-interactions/codec.ts";
import { interactionsCompat } from "../../src/adapters/providers/gemini-interactions/compat.ts";
import { createHttpModel, type HttpTimeouts } from "../../src/adapters/providers/shared/http-model.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { chatCompats } from "../../src/adapters/providers/openai-chat/compat.ts";
import { responsesCodec } from "../../src/adapters/providers/openai-responses/codec.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import type { WireName } from "../../src/testing/mock-provider/wires.ts";
import { infoOf, realDeps } from "./test-deps.ts";

/** A model behind a server that speaks the format. */
export function modelOver(api: WireName, url: string, timeouts?: HttpTimeouts): LanguageModel {
  const shared = { baseUrl: url, streamed: true, ...(timeouts === undefined ? {} : { timeouts }) } as const;
  switch (api) {
    case "anthropic": {
      const info = infoOf("anthropic/claude-opus-4-8");
      return createHttpModel({ ...shared, info, codec: anthropicCodec(claudeCompat("claude-opus-4-8")) }, realDeps);
    }
    case "chat":
      return createHttpModel({ ...shared, info: infoOf("openai/gpt"), codec: chatCodec(chatCompats.openai) }, realDeps);
    case "responses": {
      const info = infoOf("openai/gpt-5.4");
      return createHttpModel({ ...shared, info, codec: responsesCodec(responsesCompat("gpt-5.4")) }, realDeps);
    }
    case "gemini": {
      const info = infoOf("google/gemini-3-flash-preview");
      return createHttpModel({ ...shared, info, codec: geminiCodec(geminiCompat("gemini-3-flash-preview")) }, realDeps);
    }
    case "interactions": {
      const name = "gemini-3-flash-preview";
      const codec = interactionsCodec(interactionsCompat(name));
      return createHttpModel({ ...shared, info: infoOf(`google/${name}`), codec }, realDeps);
    }
  }
}
