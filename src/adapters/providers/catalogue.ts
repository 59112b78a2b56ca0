import type { LanguageModel, ModelCatalogue, ModelInfo } from "../../core/port/language-model.ts";
import { anthropicCodec } from "./anthropic/codec.ts";
import { claudeCompat, plainAnthropicCompat } from "./anthropic/compat.ts";
import { geminiCodec } from "./gemini/codec.ts";
import { geminiCompat } from "./gemini/compat.ts";
import { createHttpModel, type HttpDeps } from "./http-model.ts";
import {
  anthropicModels,
  googleModels,
  knownModel,
  type KnownModel,
  needsResponses,
  openAiModels,
  unknownModel,
} from "./known-models.ts";
import { chatCodec } from "./openai-chat/codec.ts";
import { chatCompats, chatServerOf } from "./openai-chat/compat.ts";
import { responsesCodec } from "./openai-responses/codec.ts";
import { responsesCompat } from "./openai-responses/compat.ts";
import { createScribe, type Sleep } from "./scribe/scribe.ts";
import { type Script, scriptedModel } from "./scripted.ts";

/** Keys and addresses of providers, as the host has read them. */
export interface ProviderConfig {
  readonly anthropicApiKey?: string;
  readonly anthropicBaseUrl?: string;
  readonly openaiApiKey?: string;
  readonly openaiBaseUrl?: string;
  readonly geminiApiKey?: string;
  readonly geminiBaseUrl?: string;
  /** A server that speaks OpenAI's chat format, and the model it serves. */
  readonly compatibleBaseUrl?: string;
  readonly compatibleModel?: string;
  /** What `scripted/script` says, for demos and tests; without one there is no such model. */
  readonly script?: Script;
}

export interface ProviderDeps extends HttpDeps {
  /** Sets the pace of the built-in author. */
  readonly sleep: Sleep;
}

/** A provider: what it lists, and a model for any name that a person may give. */
interface Provider {
  readonly prefix: string;
  readonly listed: readonly string[];
  model(name: string): LanguageModel;
}

/** The models that a configuration opens: the scribe always, each provider once there is a key or an address of its own. */
export function buildCatalogue(config: ProviderConfig, deps: ProviderDeps): ModelCatalogue {
  const scribe = createScribe(deps.sleep);
  const builtIn = [scribe, ...(config.script === undefined ? [] : [scriptedModel(config.script, deps.sleep)])];
  const providers = [
    anthropic(config, deps),
    openai(config, deps),
    google(config, deps),
    compatible(config, deps),
  ].filter((provider) => provider !== undefined);
  const find = (id: string): LanguageModel | undefined => {
    const own = builtIn.find((model) => model.info.id === id);
    if (own !== undefined) return own;
    const slash = id.indexOf("/");
    const name = id.slice(slash + 1);
    if (slash <= 0 || name === "") return undefined;
    return providers.find((provider) => provider.prefix === id.slice(0, slash))?.model(name);
  };
  const listed = providers.flatMap((provider) => provider.listed.map((name) => provider.model(name).info));
  return { list: () => [...listed, ...builtIn.map((model) => model.info)], find };
}

const anthropicUrl = "https://api.anthropic.com";
const openaiUrl = "https://api.openai.com/v1";
const geminiUrl = "https://generativelanguage.googleapis.com";

/** With an address of its own a server may need no key. */
function anthropic(config: ProviderConfig, deps: ProviderDeps): Provider | undefined {
  const { anthropicApiKey: apiKey, anthropicBaseUrl } = config;
  if (apiKey === undefined && anthropicBaseUrl === undefined) return undefined;
  const baseUrl = anthropicBaseUrl ?? anthropicUrl;
  return {
    prefix: "anthropic",
    listed: anthropicModels.map((known) => known.model),
    model: (name) => {
      const info = infoOf("anthropic", name, knownModel(anthropicModels, name), isLoopback(baseUrl));
      const codec = anthropicCodec(name.includes("claude") ? claudeCompat(name) : plainAnthropicCompat);
      return createHttpModel(
        { info, baseUrl, codec, streamed: true, ...(apiKey === undefined ? {} : { apiKey }) },
        deps,
      );
    },
  };
}

function openai(config: ProviderConfig, deps: ProviderDeps): Provider | undefined {
  const { openaiApiKey: apiKey, openaiBaseUrl } = config;
  if (apiKey === undefined && openaiBaseUrl === undefined) return undefined;
  const baseUrl = openaiBaseUrl ?? openaiUrl;
  const chat = chatProvider("openai", { baseUrl, apiKey, listed: openAiModels.map((known) => known.model) }, deps);
  return {
    ...chat,
    model: (name) => {
      const known = knownModel(openAiModels, name);
      if (!needsResponses(name, known)) return chat.model(name);
      const info = infoOf("openai", name, known, isLoopback(baseUrl));
      const codec = responsesCodec(responsesCompat(name));
      return createHttpModel(
        { info, baseUrl, codec, streamed: true, ...(apiKey === undefined ? {} : { apiKey }) },
        deps,
      );
    },
  };
}

function google(config: ProviderConfig, deps: ProviderDeps): Provider | undefined {
  const { geminiApiKey: apiKey, geminiBaseUrl } = config;
  if (apiKey === undefined && geminiBaseUrl === undefined) return undefined;
  const baseUrl = geminiBaseUrl ?? geminiUrl;
  return {
    prefix: "google",
    listed: googleModels.map((known) => known.model),
    model: (name) => {
      const info = infoOf("google", name, knownModel(googleModels, name), isLoopback(baseUrl));
      const codec = geminiCodec(geminiCompat(name));
      return createHttpModel(
        { info, baseUrl, codec, streamed: true, ...(apiKey === undefined ? {} : { apiKey }) },
        deps,
      );
    },
  };
}

function compatible(config: ProviderConfig, deps: ProviderDeps): Provider | undefined {
  const { compatibleBaseUrl: baseUrl, compatibleModel: model } = config;
  if (baseUrl === undefined) return undefined;
  // A key for OpenAI is sent to no other server.
  return chatProvider("local", { baseUrl, apiKey: undefined, listed: model === undefined ? [] : [model] }, deps);
}

function chatProvider(
  prefix: string,
  endpoint: { readonly baseUrl: string; readonly apiKey: string | undefined; readonly listed: readonly string[] },
  deps: ProviderDeps,
): Provider {
  const { baseUrl, apiKey, listed } = endpoint;
  const codec = chatCodec(chatCompats[chatServerOf(baseUrl)]);
  return {
    prefix,
    listed,
    model: (name) => {
      const info = infoOf(prefix, name, knownModel(openAiModels, name), isLoopback(baseUrl));
      return createHttpModel(
        { info, baseUrl, codec, streamed: true, ...(apiKey === undefined ? {} : { apiKey }) },
        deps,
      );
    },
  };
}

function infoOf(prefix: string, model: string, known: KnownModel | undefined, local: boolean): ModelInfo {
  const { contextTokensMax, outputTokensMax, thinking } = known ?? unknownModel;
  return {
    id: `${prefix}/${model}`,
    name: known?.name ?? model,
    contextTokensMax,
    outputTokensMax,
    tools: true,
    thinking,
    local,
  };
}

function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return (
    hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || hostname.startsWith("127.")
  );
}
