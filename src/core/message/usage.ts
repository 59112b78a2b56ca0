/** Tokens of one request. Input counts everything sent, cached or not; output counts thinking too. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly thinkingTokens: number;
  /**
   * The part of the input that the provider wrote to its cache, if reported: some charge more for it. Excludes cache
   * hits.
   */
  readonly cacheWriteTokens?: number;
}

/** The zero usage: all counts are 0. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, thinkingTokens: 0 };

/** Returns the sum of both usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  const written = (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    thinkingTokens: a.thinkingTokens + b.thinkingTokens,
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
  };
}
