import type { ModelPrices } from "../../../core/model/prices.ts";
import { listAt, objectAt, textAt } from "../shared/json-read.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import { known, type ServedModel, tokensIn } from "../shared/served-model.ts";

/** The most models that are read from one list. */
const modelsMax = 2_000;

/** Models that do not write replies: no list says so in a field. */
const noChatModel =
  /(?:^|[-_/.:])(?:embed|embeddings?|rerank(?:er)?|whisper|tts|moderation|transcribe)(?:$|[-_/.:\d])/i;

/**
 * Reads the answer of `GET /v1/models`, null for anything else. The window has a field of its own with vLLM, OpenRouter, Groq
 * and Mistral; llama.cpp has it in `meta`.
 */
export function readModelList(body: unknown): readonly ServedModel[] | null {
  const listed: unknown = isJsonObject(body) ? body["data"] : undefined;
  if (!Array.isArray(listed)) return null;
  const models = listed.slice(0, modelsMax).flatMap((entry): readonly ServedModel[] => {
    const model = textAt(entry, "id");
    return model === undefined || !/^\S{1,200}$/.test(model) || noChatModel.test(model) ? [] : [modelOf(model, entry)];
  });
  return models.filter(({ model }, at) => models.findIndex((other) => other.model === model) === at);
}

function modelOf(model: string, entry: unknown): ServedModel {
  const field = (...names: readonly string[]): number | undefined =>
    names.map((name) => tokensIn(isJsonObject(entry) ? entry[name] : undefined)).find((tokens) => tokens !== undefined);
  const served = objectAt(entry, "top_provider");
  const inputs = listAt(objectAt(entry, "architecture"), "input_modalities");
  const parameters = listAt(entry, "supported_parameters");
  const name = (textAt(entry, "name") ?? textAt(entry, "display_name"))?.trim().slice(0, 200);
  return {
    model,
    ...known<Omit<ServedModel, "model">>({
      name: name === "" || name === model ? undefined : name,
      // OpenRouter's own provider may serve less than the model can take.
      contextTokensMax:
        tokensIn(served?.["context_length"]) ??
        field("max_model_len", "context_window", "context_length", "max_context_length") ??
        tokensIn(objectAt(entry, "meta")?.["n_ctx"]),
      outputTokensMax: tokensIn(served?.["max_completion_tokens"]) ?? field("max_completion_tokens"),
      vision: inputs.length === 0 ? visionOf(entry) : inputs.includes("image"),
      tools: parameters.length === 0 ? undefined : parameters.includes("tools"),
      thinking: parameters.length === 0 ? undefined : parameters.includes("reasoning"),
      prices: pricesOf(objectAt(entry, "pricing")),
    }),
  };
}

function visionOf(entry: unknown): boolean | undefined {
  const vision = objectAt(entry, "capabilities")?.["vision"];
  return typeof vision === "boolean" ? vision : undefined;
}

/** OpenRouter gives dollars for one token, as text. */
function pricesOf(pricing: unknown): ModelPrices | undefined {
  const price = (key: string): number | undefined => {
    const dollars = Number(textAt(pricing, key) ?? Number.NaN);
    return Number.isFinite(dollars) && dollars >= 0 ? dollars * 1_000_000 : undefined;
  };
  const [input, output] = [price("prompt"), price("completion")];
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...known<Pick<ModelPrices, "cachedInput" | "cacheWrite">>({
      cachedInput: price("input_cache_read"),
      cacheWrite: price("input_cache_write"),
    }),
  };
}
