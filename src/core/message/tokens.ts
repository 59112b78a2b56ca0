import { refusal, type Refusal } from "../base/errors.ts";
import { err, ok, type Result } from "../base/result.ts";
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
  return Math.max(1, tokensLeft(requested, caps, estimatedInput));
}

/**
 * The same for those who would rather not ask than get one token: CONTEXT_FULL, with the figures, where the estimated
 * input leaves no room for an answer. A wish that is no number of at least 1 is INVALID_PARAMS.
 */
export function fitMaxTokens(requested: number, caps: TokenCaps, estimatedInput: number): Result<number, Refusal> {
  if (!(requested >= 1)) return err(refusal("INVALID_PARAMS", { at: "maxTokens", requested }));
  const left = tokensLeft(requested, caps, estimatedInput);
  if (left >= 1) return ok(left);
  return err(refusal("CONTEXT_FULL", { requested, estimated_input: estimatedInput, ...caps }));
}

/** Whole, and below 1 where nothing is left or an input is no number. */
function tokensLeft(requested: number, caps: TokenCaps, estimatedInput: number): number {
  const left = Math.min(
    requested,
    caps.outputTokensMax,
    caps.inputTokensMax - estimatedInput,
    (caps.totalTokensMax ?? Number.POSITIVE_INFINITY) - estimatedInput,
  );
  const whole = Math.floor(left);
  return Number.isSafeInteger(whole) ? whole : 0;
}
