import type { Message } from "../message/types.ts";
import type { ToolDefinition } from "../model/request.ts";

/** What is about to be sent, as far as it counts as input. */
export interface EstimatedInput {
  /** `provider/model`. */
  readonly modelId: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
}

/** Tokens of input, whole numbers. */
export interface TokenEstimate {
  /** The best guess. */
  readonly expected: number;
  /** What the provider will count at most, but for one request in twenty; what a bound is set by. At least `expected`. */
  readonly upper: number;
}

/** Guesses how many tokens a provider will count, and gets better by what they counted. */
export interface TokenEstimator {
  estimate(input: EstimatedInput): Promise<TokenEstimate>;
  /** What a provider counted for a request that was estimated so; a count of 0 tells nothing. */
  learn(modelId: string, estimate: TokenEstimate, countedTokens: number): void;
}
