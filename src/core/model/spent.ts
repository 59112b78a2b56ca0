import type { TurnId } from "../base/ids.ts";
import type { ModelUsage } from "../forest/types.ts";
import { addUsage, noUsage, type Usage } from "../message/usage.ts";
import { costOf } from "./cost.ts";
import { paidRequests, type PaidNode, type PaidRequest } from "./paid-requests.ts";
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
    usage: addUsage(a.usage, b.usage),
    dollars: a.dollars + b.dollars,
    requests: a.requests + b.requests,
    unpriced: a.unpriced + b.unpriced,
  };
}

/** What messages used up, as a whole and in its parts. */
export interface SpentParts {
  readonly total: Spent;
  /** In the order of their first message; without what is gone. */
  readonly byTurn: ReadonlyMap<TurnId, Spent>;
  readonly byModel: ReadonlyMap<string, Spent>;
}

/** Sums up what nodes used up, with completions that said the same as another and were paid for too, and what is `gone`. */
export function spentOn(
  nodes: readonly PaidNode[],
  pricesOf: (modelId: string) => ModelPrices | null,
  gone: readonly ModelUsage[] = [],
): SpentParts {
  const byTurn = new Map<TurnId, Spent>();
  const byModel = new Map<string, Spent>();
  let total = nothingSpent;
  for (const { model, usage, requests, turn } of [...nodes.flatMap(counted), ...gone.map(ofNoTurn)]) {
    const prices = pricesOf(model);
    const one: Spent = {
      usage,
      dollars: prices === null ? 0 : costOf(usage, prices, requests),
      requests,
      unpriced: prices === null ? requests : 0,
    };
    total = addSpent(total, one);
    byModel.set(model, addSpent(byModel.get(model) ?? nothingSpent, one));
    if (turn !== null) byTurn.set(turn, addSpent(byTurn.get(turn) ?? nothingSpent, one));
  }
  return { total, byTurn, byModel };
}

/** What was used up before, and by these nodes, which go; a model each, in the order of their first request. */
export function usageWith(before: readonly ModelUsage[], nodes: readonly PaidNode[]): readonly ModelUsage[] {
  const byModel = new Map(before.map((one) => [one.model, one]));
  for (const { model, usage } of nodes.flatMap(paidRequests)) {
    const known = byModel.get(model) ?? { model, usage: noUsage, requests: 0 };
    byModel.set(model, { model, usage: addUsage(known.usage, usage), requests: known.requests + 1 });
  }
  return [...byModel.values()];
}

/** Requests of one turn to one model. */
type TurnUsage = PaidRequest & ModelUsage;

function counted(node: PaidNode): readonly TurnUsage[] {
  return paidRequests(node).map((request) => ({ ...request, requests: 1 }));
}

function ofNoTurn(gone: ModelUsage): TurnUsage {
  return { ...gone, turn: null };
}
