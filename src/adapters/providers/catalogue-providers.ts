import type { MediaLimits } from "../../core/port/language-model.ts";
import {
  anthropicMedia,
  anthropicModels,
  googleMedia,
  googleModels,
  type KnownModel,
  openAiMedia,
  openAiModels,
} from "./known-models.ts";

/** The wire formats that a provider may speak. `openai` chooses between its two by the model. */
export const providerApis = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const;
export type ProviderApi = (typeof providerApis)[number];

/** A provider that Heddle knows without being told. */
export interface KnownProvider {
  /** What stands before the slash of a model's name. */
  readonly id: string;
  readonly name: string;
  readonly api: ProviderApi;
  readonly baseUrl: string;
  /** Where its key comes from; null for a server of one's own, which needs none. */
  readonly keyVariable: string | null;
  readonly models: readonly KnownModel[];
  /** What it takes of an image or a file, where it says so. */
  readonly media?: MediaLimits;
}

/** The providers by their ids. `local` is reached at an address that a person gives. */
export const knownProviders: readonly KnownProvider[] = [
  {
    id: "anthropic",
    name: "Anthropic",
    api: "anthropic",
    baseUrl: "https://api.anthropic.com",
    keyVariable: "ANTHROPIC_API_KEY",
    models: anthropicModels,
    media: anthropicMedia,
  },
  {
    id: "openai",
    name: "OpenAI",
    api: "openai-chat",
    baseUrl: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    models: openAiModels,
    media: openAiMedia,
  },
  {
    id: "google",
    name: "Google",
    api: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com",
    keyVariable: "GEMINI_API_KEY",
    models: googleModels,
    media: googleMedia,
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    api: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    models: [],
  },
  {
    id: "groq",
    name: "Groq",
    api: "openai-chat",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariable: "GROQ_API_KEY",
    models: [],
  },
  {
    id: "mistral",
    name: "Mistral",
    api: "openai-chat",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariable: "MISTRAL_API_KEY",
    models: [],
  },
  {
    id: "deepseek",
    name: "DeepSeek",
    api: "openai-chat",
    baseUrl: "https://api.deepseek.com",
    keyVariable: "DEEPSEEK_API_KEY",
    models: [],
  },
  {
    id: "ollama",
    name: "Ollama",
    api: "openai-chat",
    baseUrl: "http://127.0.0.1:11434/v1",
    keyVariable: null,
    models: [],
  },
];

/** Names before the slash that are no provider of the file's. */
export const reservedProviders: readonly string[] = ["local", "scripted"];
