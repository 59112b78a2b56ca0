import type { NodeId, TurnId } from "../base/ids.ts";
import type { ForestNode } from "../forest/types.ts";
import type { Usage } from "../message/usage.ts";
import { paidRequests } from "./paid-requests.ts";
import type { ModelPrices } from "./prices.ts";

/**
 * Estimates the cost of requests in US dollars. Cached input, and input written to the cache, have prices of their own
 * where the provider has them; output includes thinking. `usage` may be the sum of several `requests`; their average
 * length
 * then decides whether the price of long prompts applies.
 */
export function costOf(usage: Usage, { longPrompt, ...usual }: ModelPrices, requests = 1): number {
  const isLong = longPrompt !== undefined && usage.inputTokens > longPrompt.above * requests;
  const { input, output, cachedInput = input, cacheWrite = input } = isLong ? longPrompt : usual;
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const written = Math.min(usage.cacheWriteTokens ?? 0, usage.inputTokens - cached);
  const fresh = usage.inputTokens - cached - written;
  const millionths = fresh * input + cached * cachedInput + written * cacheWrite + usage.outputTokens * output;
  return millionths / 1_000_000;
}

/** The cost of a conversation in US dollars, total and by part. */
export interface Costs {
  readonly total: number;
  readonly byNode: ReadonlyMap<NodeId, number>;
  readonly byTurn: ReadonlyMap<TurnId, number>;
  /** Requests of models without known prices; they are in no sum. */
  readonly unpriced: number;
}

/** Sums up the cost of nodes, including equal completions that were paid for too. */
export function costsOf(nodes: readonly ForestNode[], pricesOf: (modelId: string) => ModelPrices | null): Costs {
  const byNode = new Map<NodeId, number>();
  const byTurn = new Map<TurnId, number>();
  let total = 0;
  let unpriced = 0;
  for (const node of nodes) {
    for (const { model, usage, turn } of paidRequests(node)) {
      const prices = pricesOf(model);
      if (prices === null) {
        unpriced += 1;
        continue;
      }
      const cost = costOf(usage, prices);
      total += cost;
      byNode.set(node.id, (byNode.get(node.id) ?? 0) + cost);
      if (turn !== null) byTurn.set(turn, (byTurn.get(turn) ?? 0) + cost);
    }
  }
  return { total, byNode, byTurn, unpriced };
}
