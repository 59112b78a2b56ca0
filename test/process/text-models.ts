import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createScribe } from "../../src/adapters/providers/scribe/scribe.ts";
import { speakInText } from "../../src/adapters/providers/speak-in-text.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import { syntaxes } from "../../src/core/syntax/registry.ts";
import { importResponseTemplate } from "../../src/core/syntax/response-template.ts";
import { thoughtful } from "./thoughtful-author.ts";

/** In the form of a model's `tokenizer_config.json`. */
const template = {
  fields: {
    thinking: { open: "<think>", close: "</think>", content: "text" },
    tool_calls: {
      open_pattern: String.raw`<tool_call>\s*<function=(?P<name>\w+)>`,
      close: "</tool_call>",
      repeats: true,
      content: "xml-inline",
      content_args: { tag_pattern: String.raw`<parameter=(?P<key>\w+)>\s*(?P<value>.*?)\s*</parameter>` },
      transform: { type: "function", function: { name: "{name}", arguments: "{content}" } },
    },
    content: { close: "<|im_end|>", content: "text" },
  },
};
const imported = importResponseTemplate("response-template", template);
const known = imported.ok ? [...syntaxes, imported.value] : [];

/** The syntaxes that the main job runs in; the last is the model's own. */
export const tierOne: readonly string[] = [
  "native",
  "caret",
  "xml",
  "invoke",
  "minimax",
  "deepseek-v3.2",
  "deepseek-v4",
  "hermes",
  "qwen-xml",
  "glm",
  "harmony",
  "mistral",
  "response-template",
];

/** Writes as a local model would: calls in its text, two in a reply. */
export function textAuthor(tokenMs: number): LanguageModel {
  const scribe = createScribe(async (_delayMs, signal) => {
    await delay(tokenMs, undefined, { signal }).catch(() => undefined);
  });
  return speakInText(thoughtful(scribe), known);
}

/** Describes two models of a server: one that knows every syntax, and one with its own. */
export async function describeModels(folder: string, url: string): Promise<void> {
  const sizes = { context_window: 200_000, output_limit: 8_000 };
  const house = { provider: "house", api: "openai-chat", base_url: `${url}/v1`, ...sizes };
  const models = [
    { ...house, id: "model" },
    { ...house, id: "templated", response_template: template },
  ];
  await writeFile(join(folder, "models.json"), JSON.stringify({ models }));
}

/** Returns which of them uses a syntax. */
export function modelOf(syntax: string): string {
  return syntax === "response-template" ? "house/templated" : "house/model";
}
