import { anthropicFormat } from "./anthropic/format.ts";
import { geminiFormat } from "./gemini/format.ts";
import { interactionsFormat } from "./gemini-interactions/format.ts";
import {
  anthropicMedia,
  anthropicModels,
  googleMedia,
  googleModels,
  needsResponses,
  openAiMedia,
  openAiModels,
} from "./shared/known-models.ts";
import type { KnownProvider } from "./shared/known-provider.ts";
import { chatFormat } from "./openai-chat/format.ts";
import { responsesFormat } from "./openai-responses/format.ts";

/** Every known provider; a new one needs a folder and a row. A person configures the address of `local`. */
export const knownProviders: readonly KnownProvider[] = [
  {
    id: "anthropic",
    name: "Anthropic",
    formats: [anthropicFormat],
    baseUrl: "https://api.anthropic.com",
    keyVariable: "ANTHROPIC_API_KEY",
    addressVariable: "ANTHROPIC_BASE_URL",
    models: anthropicModels,
    media: anthropicMedia,
  },
  {
    id: "openai",
    name: "OpenAI",
    formats: [chatFormat, responsesFormat],
    formatOf: (model, known) => (needsResponses(model, known) ? responsesFormat : chatFormat),
    baseUrl: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    addressVariable: "OPENAI_BASE_URL",
    models: openAiModels,
    media: openAiMedia,
  },
  {
    id: "google",
    name: "Google",
    // Both serve the same models; `api` of a model's entry chooses the second.
    formats: [geminiFormat, interactionsFormat],
    baseUrl: "https://generativelanguage.googleapis.com",
    keyVariable: "GEMINI_API_KEY",
    addressVariable: "GEMINI_BASE_URL",
    models: googleModels,
    media: googleMedia,
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    formats: [chatFormat],
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    models: [],
    asks: "list",
  },
  {
    id: "groq",
    name: "Groq",
    formats: [chatFormat],
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariable: "GROQ_API_KEY",
    models: [],
    asks: "list",
  },
  {
    id: "mistral",
    name: "Mistral",
    formats: [chatFormat],
    baseUrl: "https://api.mistral.ai/v1",
    keyVariable: "MISTRAL_API_KEY",
    models: [],
    asks: "list",
  },
  {
    id: "deepseek",
    name: "DeepSeek",
    formats: [chatFormat],
    baseUrl: "https://api.deepseek.com",
    keyVariable: "DEEPSEEK_API_KEY",
    models: [],
    asks: "list",
  },
  {
    id: "ollama",
    name: "Ollama",
    formats: [chatFormat],
    baseUrl: "http://127.0.0.1:11434/v1",
    keyVariable: null,
    models: [],
    asks: "show",
  },
];

/** Names before the slash that the catalogue's file may not use. */
export const reservedProviders: readonly string[] = ["local", "scripted", "alias"];
