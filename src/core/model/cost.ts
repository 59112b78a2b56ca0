import type { Usage } from "../message/usage.ts";
import type { ModelPrices } from "./prices.ts";

const perMillion = 1_000_000;

/** What a request cost, in US dollars, by the prices that are listed. Output counts thinking; what was cached is input. */
export function costOf(usage: Usage, { input, output, cachedInput = input }: ModelPrices): number {
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  return ((usage.inputTokens - cached) * input + cached * cachedInput + usage.outputTokens * output) / perMillion;
}
