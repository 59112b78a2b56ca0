import * as v from "valibot";
import type { Usage } from "../../message/usage.ts";
import type { ModelPrices } from "../../model/prices.ts";
import { described } from "../base/parts.ts";

const tokens = v.number();

/** Tokens of requests to models. */
export const usage: v.GenericSchema<unknown, Usage> = v.object({
  inputTokens: described(tokens, "Everything sent, cached or not."),
  outputTokens: described(tokens, "Everything written, thinking too."),
  cachedInputTokens: tokens,
  thinkingTokens: tokens,
  cacheWriteTokens: v.exactOptional(tokens),
});

/** What requests to models used up, as entries of an object. */
export const spentEntries = {
  usage,
  dollars: described(v.number(), "US dollars, at the prices that are known."),
  requests: described(v.number(), "Requests that were answered."),
  unpriced: described(v.number(), "Requests of models whose prices nobody knows; no sum of dollars has them."),
};

const prices = {
  input: v.number(),
  output: v.number(),
  cachedInput: v.exactOptional(v.number()),
  cacheWrite: v.exactOptional(v.number()),
};

/** US dollars for a million tokens. */
export const modelPrices: v.GenericSchema<unknown, ModelPrices> = v.object({
  ...prices,
  longPrompt: v.exactOptional(v.object({ ...prices, above: v.number() })),
});
