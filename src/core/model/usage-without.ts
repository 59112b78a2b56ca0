import type { ModelUsage } from "../forest/types.ts";
import type { Usage } from "../message/usage.ts";

/** Returns a record of usage without a part of it; models of which nothing is left are dropped. */
export function usageWithout(all: readonly ModelUsage[], part: readonly ModelUsage[]): readonly ModelUsage[] {
  const partByModel = new Map(part.map((one) => [one.model, one]));
  return all.flatMap((one) => {
    const gone = partByModel.get(one.model);
    if (gone === undefined) return [one];
    const requests = one.requests - gone.requests;
    return requests <= 0 ? [] : [{ ...one, usage: difference(one.usage, gone.usage), requests }];
  });
}

function difference(a: Usage, b: Usage): Usage {
  return {
    inputTokens: Math.max(0, a.inputTokens - b.inputTokens),
    outputTokens: Math.max(0, a.outputTokens - b.outputTokens),
    cachedInputTokens: Math.max(0, a.cachedInputTokens - b.cachedInputTokens),
    thinkingTokens: Math.max(0, a.thinkingTokens - b.thinkingTokens),
  };
}
