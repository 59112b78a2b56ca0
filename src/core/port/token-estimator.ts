import type { Message } from "../message/types.ts";
import type { ToolDefinition } from "../model/request.ts";

/** The parts of a request that count as input. */
export interface EstimatedInput {
  /** `provider/model`. */
  readonly modelId: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
}

/** Estimated tokens of input, whole numbers. */
export interface TokenEstimate {
  /** The most probable count. */
  readonly expected: number;
  /** The count that the provider exceeds in one request of twenty; used for limits. At least `expected`. */
  readonly upper: number;
}

/** Estimates how many tokens a provider will count, and learns from its counts. */
export interface TokenEstimator {
  estimate(input: EstimatedInput): Promise<TokenEstimate>;
  /** Learns from the provider's count for an estimated request; ignores a count of 0. */
  learn(modelId: string, estimate: TokenEstimate, countedTokens: number): void;
}
