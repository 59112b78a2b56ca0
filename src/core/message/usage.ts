/** Tokens of one request. Input counts everything sent, cached or not; output counts thinking too. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly thinkingTokens: number;
}

/** Nothing was used, or nothing is known. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, thinkingTokens: 0 };
