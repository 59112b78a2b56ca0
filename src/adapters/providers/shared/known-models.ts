import type { ModelPrices } from "../../../core/model/prices.ts";
import type { MediaLimits } from "../../../core/port/language-model.ts";

/** One line of the catalogue. */
export interface KnownModel {
  /** The provider's name of the model. */
  readonly model: string;
  readonly name: string;
  /** Total window in tokens. */
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
  readonly thinking: boolean;
  /** False for a model without native tool calls, which writes calls into its text. */
  readonly tools?: boolean;
  /** An OpenAI model that calls tools only through the Responses format. */
  readonly responses?: true;
  /** List prices of the provider. Anthropic's cache writes are priced for five minutes, the lower price. */
  readonly prices?: ModelPrices;
}

/** Largest image or file that providers accept, in bytes before encoding as text. */
export const anthropicMedia: MediaLimits = {
  imageBytesMax: 3_750_000,
  imageSideMax: 8000,
  fileBytesMax: 20 * 1024 * 1024,
  totalBytesMax: 22 * 1024 * 1024,
};
export const openAiMedia: MediaLimits = {
  imageBytesMax: 20 * 1024 * 1024,
  imageSideMax: 65_535,
  fileBytesMax: 20 * 1024 * 1024,
  totalBytesMax: 36 * 1024 * 1024,
};
export const googleMedia: MediaLimits = {
  imageBytesMax: 14 * 1024 * 1024,
  imageSideMax: 65_535,
  fileBytesMax: 14 * 1024 * 1024,
  totalBytesMax: 14 * 1024 * 1024,
};

/** What is assumed of a model that is not listed: its limits are unknown. */
export const unknownModel = { contextTokensMax: null, outputTokensMax: null, thinking: false } as const;

/** Anthropic models, newest first. Edit freely: a model that is missing here still works under its name. */
export const anthropicModels: readonly KnownModel[] = [
  {
    model: "claude-opus-5-5",
    name: "Claude Opus 5.5",
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: { input: 4, output: 20, cachedInput: 0.2, cacheWrite: 5 },
  },
  {
    model: "claude-sonnet-5-5",
    name: "Claude Sonnet 5.5",
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: { input: 2, output: 10, cachedInput: 0.1, cacheWrite: 2.5 },
  },
  {
    model: "claude-opus-5",
    name: "Claude Opus 5",
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 },
  },
  {
    model: "claude-sonnet-5",
    name: "Claude Sonnet 5",
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: { input: 2, output: 10, cachedInput: 0.2, cacheWrite: 2.5 },
  },
  {
    model: "claude-fable-5",
    name: "Claude Fable 5",
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: { input: 10, output: 50, cachedInput: 1, cacheWrite: 12.5 },
  },
  {
    model: "claude-opus-4-8",
    name: "Claude Opus 4.8",
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 },
  },
  {
    model: "claude-opus-4-7",
    name: "Claude Opus 4.7",
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 },
  },
  {
    model: "claude-opus-4-6",
    name: "Claude Opus 4.6",
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 },
  },
  {
    model: "claude-sonnet-4-6",
    name: "Claude Sonnet 4.6",
    contextTokensMax: 1_000_000,
    outputTokensMax: 64_000,
    thinking: true,
    prices: { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 },
  },
  {
    model: "claude-haiku-4-5",
    name: "Claude Haiku 4.5",
    contextTokensMax: 200_000,
    outputTokensMax: 64_000,
    thinking: true,
    prices: { input: 1, output: 5, cachedInput: 0.1, cacheWrite: 1.25 },
  },
  {
    model: "claude-opus-4-5",
    name: "Claude Opus 4.5",
    contextTokensMax: 200_000,
    outputTokensMax: 64_000,
    thinking: true,
    prices: { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 },
  },
  {
    model: "claude-sonnet-4-5",
    name: "Claude Sonnet 4.5",
    contextTokensMax: 200_000,
    outputTokensMax: 64_000,
    thinking: true,
    prices: { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 },
  },
  {
    model: "claude-opus-4-1",
    name: "Claude Opus 4.1",
    contextTokensMax: 200_000,
    outputTokensMax: 32_000,
    thinking: true,
    prices: { input: 15, output: 75, cachedInput: 1.5, cacheWrite: 18.75 },
  },
];

/** OpenAI models, newest first. */
export const openAiModels: readonly KnownModel[] = [
  {
    model: "gpt-5.6-sol",
    name: "GPT-5.6 Sol",
    contextTokensMax: 1_050_000,
    outputTokensMax: 128_000,
    thinking: true,
    responses: true,
  },
  {
    model: "gpt-5.6-terra",
    name: "GPT-5.6 Terra",
    contextTokensMax: 1_050_000,
    outputTokensMax: 128_000,
    thinking: true,
    responses: true,
  },
  {
    model: "gpt-5.6-luna",
    name: "GPT-5.6 Luna",
    contextTokensMax: 1_050_000,
    outputTokensMax: 128_000,
    thinking: true,
    responses: true,
  },
  {
    model: "gpt-5.5",
    name: "GPT-5.5",
    contextTokensMax: 1_050_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: {
      input: 5,
      output: 30,
      cachedInput: 0.5,
      longPrompt: { above: 272_000, input: 10, output: 45, cachedInput: 1 },
    },
    responses: true,
  },
  {
    model: "gpt-5.4",
    name: "GPT-5.4",
    contextTokensMax: 1_050_000,
    outputTokensMax: 128_000,
    thinking: true,
    responses: true,
  },
  {
    model: "gpt-5.4-mini",
    name: "GPT-5.4 mini",
    contextTokensMax: 400_000,
    outputTokensMax: 128_000,
    thinking: true,
    responses: true,
  },
  {
    model: "gpt-5.3-codex",
    name: "GPT-5.3 Codex",
    contextTokensMax: 400_000,
    outputTokensMax: 128_000,
    thinking: true,
    responses: true,
  },
  {
    model: "gpt-5.2",
    name: "GPT-5.2",
    contextTokensMax: 400_000,
    outputTokensMax: 128_000,
    thinking: true,
    responses: true,
  },
  {
    model: "gpt-5.1",
    name: "GPT-5.1",
    contextTokensMax: 400_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: { input: 1.25, output: 10, cachedInput: 0.125 },
  },
  {
    model: "gpt-5",
    name: "GPT-5",
    contextTokensMax: 400_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: { input: 1.25, output: 10, cachedInput: 0.125 },
  },
  {
    model: "gpt-5-mini",
    name: "GPT-5 mini",
    contextTokensMax: 400_000,
    outputTokensMax: 128_000,
    thinking: true,
    prices: { input: 0.25, output: 2, cachedInput: 0.025 },
  },
  {
    model: "gpt-4.1",
    name: "GPT-4.1",
    contextTokensMax: 1_047_576,
    outputTokensMax: 32_768,
    thinking: false,
    prices: { input: 2, output: 8, cachedInput: 0.5 },
  },
  {
    model: "gpt-4o",
    name: "GPT-4o",
    contextTokensMax: 128_000,
    outputTokensMax: 16_384,
    thinking: false,
    prices: { input: 2.5, output: 10, cachedInput: 1.25 },
  },
  {
    model: "gpt-4o-mini",
    name: "GPT-4o mini",
    contextTokensMax: 128_000,
    outputTokensMax: 16_384,
    thinking: false,
    prices: { input: 0.15, output: 0.6, cachedInput: 0.075 },
  },
];

/** Google models, newest first. */
export const googleModels: readonly KnownModel[] = [
  {
    model: "gemini-3.6-flash",
    name: "Gemini 3.6 Flash",
    contextTokensMax: 1_048_576,
    outputTokensMax: 65_536,
    thinking: true,
  },
  {
    model: "gemini-3.5-flash",
    name: "Gemini 3.5 Flash",
    contextTokensMax: 1_048_576,
    outputTokensMax: 65_536,
    thinking: true,
  },
  {
    model: "gemini-3.1-pro-preview",
    name: "Gemini 3.1 Pro",
    contextTokensMax: 1_048_576,
    outputTokensMax: 65_536,
    thinking: true,
  },
  {
    model: "gemini-3.1-flash-lite",
    name: "Gemini 3.1 Flash-Lite",
    contextTokensMax: 1_048_576,
    outputTokensMax: 65_536,
    thinking: true,
  },
  {
    model: "gemini-3-flash-preview",
    name: "Gemini 3 Flash",
    contextTokensMax: 1_048_576,
    outputTokensMax: 65_536,
    thinking: true,
  },
  {
    model: "gemini-2.5-pro",
    name: "Gemini 2.5 Pro",
    contextTokensMax: 1_048_576,
    outputTokensMax: 65_536,
    thinking: true,
    prices: {
      input: 1.25,
      output: 10,
      cachedInput: 0.125,
      longPrompt: { above: 200_000, input: 2.5, output: 15, cachedInput: 0.25 },
    },
  },
  {
    model: "gemini-2.5-flash",
    name: "Gemini 2.5 Flash",
    contextTokensMax: 1_048_576,
    outputTokensMax: 65_536,
    thinking: true,
    prices: { input: 0.3, output: 2.5, cachedInput: 0.03 },
  },
  {
    model: "gemini-2.5-flash-lite",
    name: "Gemini 2.5 Flash-Lite",
    contextTokensMax: 1_048_576,
    outputTokensMax: 65_536,
    thinking: true,
    prices: { input: 0.1, output: 0.4, cachedInput: 0.01 },
  },
];

/** Whether an OpenAI model needs the Responses format: by the list, or by a name that suggests more thinking or code. */
export function needsResponses(model: string, known: KnownModel | undefined): boolean {
  return known?.responses === true || /^(?=gpt-\d|o\d|codex).*(?:-pro\b|codex|deep-research)/.test(model);
}

/** Finds a model by its name, or by its name without the trailing date. */
export function knownModel(models: readonly KnownModel[], model: string): KnownModel | undefined {
  const undated = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "");
  return models.find((known) => known.model === model) ?? models.find((known) => known.model === undated);
}
