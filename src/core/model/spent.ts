import type { TurnId } from "../base/ids.ts";
import type { ForestNode } from "../forest/types.ts";
import { noUsage, type Usage } from "../message/usage.ts";
import { costOf } from "./cost.ts";
import type { ModelPrices } from "./prices.ts";

/** What requests to models used up. */
export interface Spent {
  readonly usage: Usage;
  /** In US dollars, at the prices that are known. */
  readonly dollars: number;
  /** Requests that were answered. */
  readonly requests: number;
  /** Those of models whose prices nobody knows; they are in no sum of dollars. */
  readonly unpriced: number;
}

/** No request was made. */
export const nothingSpent: Spent = { usage: noUsage, dollars: 0, requests: 0, unpriced: 0 };

/** Both together. */
export function addSpent(a: Spent, b: Spent): Spent {
  return {
    usage: {
      inputTokens: a.usage.inputTokens + b.usage.inputTokens,
      outputTokens: a.usage.outputTokens + b.usage.outputTokens,
      cachedInputTokens: a.usage.cachedInputTokens + b.usage.cachedInputTokens,
      thinkingTokens: a.usage.thinkingTokens + b.usage.thinkingTokens,
    },
    dollars: a.dollars + b.dollars,
    requests: a.requests + b.requests,
    unpriced: a.unpriced + b.unpriced,
  };
}

/** What messages used up, as a whole and in its parts. */
export interface SpentParts {
  readonly total: Spent;
  /** In the order of their first message. */
  readonly byTurn: ReadonlyMap<TurnId, Spent>;
  readonly byModel: ReadonlyMap<string, Spent>;
}

type Spending = Pick<ForestNode, "usage" | "actor" | "turnId" | "request" | "variants">;

/** Sums up what nodes used up, with completions that said the same as another and were paid for too. */
export function spentOn(nodes: readonly Spending[], pricesOf: (modelId: string) => ModelPrices | null): SpentParts {
  const byTurn = new Map<TurnId, Spent>();
  const byModel = new Map<string, Spent>();
  let total = nothingSpent;
  for (const node of nodes) {
    for (const { usage, actor, request } of [node, ...(node.variants ?? [])]) {
      const model = request?.model ?? (actor.type === "model" ? actor.model : null);
      if (usage === null || model === null) continue;
      const prices = pricesOf(model);
      const one: Spent = {
        usage,
        dollars: prices === null ? 0 : costOf(usage, prices),
        requests: 1,
        unpriced: prices === null ? 1 : 0,
      };
      total = addSpent(total, one);
      byModel.set(model, addSpent(byModel.get(model) ?? nothingSpent, one));
      const turn = actor.type === "model" ? actor.turnId : node.turnId;
      if (turn !== null) byTurn.set(turn, addSpent(byTurn.get(turn) ?? nothingSpent, one));
    }
  }
  return { total, byTurn, byModel };
}
