import * as v from "valibot";
import type { Usage } from "../../message/usage.ts";
import type { ModelPrices } from "../../model/prices.ts";
import { described } from "../base/parts.ts";

const tokens = v.number();

/** Tokens of requests to models. */
export const usage: v.GenericSchema<unknown, Usage> = v.object({
  inputTokens: described(tokens, "All input tokens, cached or not."),
  outputTokens: described(tokens, "All output tokens, including thinking."),
  cachedInputTokens: tokens,
  thinkingTokens: tokens,
  cacheWriteTokens: v.exactOptional(tokens),
});

/** What requests to models used, as fields of an object. */
export const spentEntries = {
  usage,
  dollars: described(v.number(), "US dollars, at the known prices."),
  requests: described(v.number(), "Requests that were answered."),
  unpriced: described(v.number(), "Requests of models with unknown prices, which no sum of dollars includes."),
};

const prices = {
  input: v.number(),
  output: v.number(),
  cachedInput: v.exactOptional(v.number()),
  cacheWrite: v.exactOptional(v.number()),
};

/** US dollars per million tokens. */
export const modelPrices: v.GenericSchema<unknown, ModelPrices> = v.object({
  ...prices,
  longPrompt: v.exactOptional(v.object({ ...prices, above: v.number() })),
});
