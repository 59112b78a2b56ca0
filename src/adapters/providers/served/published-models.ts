import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ModelPrices, TokenPrices } from "../../../core/model/prices.ts";
import { listAt, numberAt, objectAt, textAt } from "../shared/json-read.ts";
import { known, type ServedModel, tokensIn } from "../shared/served-model.ts";

/** Models by their providers' ids, as a public list describes them. */
export type PublishedModels = ReadonlyMap<string, readonly ServedModel[]>;

/** Length of a prompt, in tokens, from which models.dev gives prices of its own. */
const longPromptTokens = 200_000;

/**
 * Reads a file in the form of https://models.dev/api.json: providers by id, each with models by id, their limits in tokens
 * and prices in US dollars per million tokens. Fields of another kind are left out, because the list is not Heddle's; an
 * error says why the file as a whole cannot be used.
 */
export function readPublishedModels(text: string): Result<PublishedModels, string> {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (problem) {
    return err(`invalid JSON: ${reasonOf(problem)}`);
  }
  if (!isJsonObject(file)) return err("must be an object of providers, as models.dev publishes it");
  const providers = Object.entries(file).flatMap(([id, provider]): readonly (readonly [string, ServedModel[]])[] => {
    const models = Object.entries(objectAt(provider, "models") ?? {}).map(([name, model]) => modelOf(name, model));
    return models.length === 0 ? [] : [[id, models]];
  });
  return providers.length === 0 ? err("names no provider with models") : ok(new Map(providers));
}

function modelOf(name: string, model: unknown): ServedModel {
  const limit = objectAt(model, "limit");
  const inputs = listAt(objectAt(model, "modalities"), "input");
  const flag = (key: string): boolean | undefined => {
    const held = isJsonObject(model) ? model[key] : undefined;
    return typeof held === "boolean" ? held : undefined;
  };
  return {
    model: name,
    ...known<Omit<ServedModel, "model">>({
      name: textAt(model, "name")?.slice(0, 200),
      contextTokensMax: tokensIn(limit?.["context"]),
      outputTokensMax: tokensIn(limit?.["output"]),
      vision: inputs.length === 0 ? undefined : inputs.includes("image"),
      tools: flag("tool_call"),
      thinking: flag("reasoning"),
      prices: pricesOf(objectAt(model, "cost")),
    }),
  };
}

function pricesOf(cost: JsonObject | undefined): ModelPrices | undefined {
  const usual = tokenPricesOf(cost);
  if (usual === undefined) return undefined;
  const long = tokenPricesOf(objectAt(cost, "context_over_200k"));
  return long === undefined ? usual : { ...usual, longPrompt: { ...long, above: longPromptTokens } };
}

function tokenPricesOf(cost: JsonObject | undefined): TokenPrices | undefined {
  const price = (key: string): number | undefined => {
    const dollars = numberAt(cost, key);
    return dollars !== undefined && dollars >= 0 ? dollars : undefined;
  };
  const [input, output] = [price("input"), price("output")];
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...known<Pick<ModelPrices, "cachedInput" | "cacheWrite">>({
      cachedInput: price("cache_read"),
      cacheWrite: price("cache_write"),
    }),
  };
}
