import type { Message } from "./types.ts";

/** What a model takes and gives at most, in tokens. */
export interface TokenCaps {
  readonly inputTokensMax: number;
  readonly outputTokensMax: number;
  /** Input and output together, where the model bounds their sum. */
  readonly totalTokensMax?: number;
}

/** For a model that nobody described. */
export const unknownModelCaps: TokenCaps = { inputTokensMax: 8_192, outputTokensMax: 8_192 };

/** A quick guess of a request's input in tokens, the system prompt included: three for ten UTF-16 units of JSON. */
export function estimateInputTokens(messages: readonly Message[], systemPrompt: string): number {
  const units = messages.reduce((sum, message) => sum + JSON.stringify(message).length, systemPrompt.length);
  return Math.floor(units * 0.3);
}

/** How many tokens of output to ask for: a whole number, at least 1, whatever the inputs are. */
export function clampMaxTokens(requested: number, caps: TokenCaps, estimatedInput: number): number {
  const left = Math.min(
    requested,
    caps.outputTokensMax,
    caps.inputTokensMax - estimatedInput,
    (caps.totalTokensMax ?? Number.POSITIVE_INFINITY) - estimatedInput,
  );
  const whole = Math.floor(left);
  return Number.isSafeInteger(whole) ? Math.max(1, whole) : 1;
}
