import type { NodeId, TurnId } from "../base/ids.ts";
import { utcDayOf } from "../base/utc-day.ts";
import type { ModelUsage } from "../forest/types.ts";
import { addUsage, noUsage, type Usage } from "../message/usage.ts";
import { costOf } from "./cost.ts";
import { paidRequests, type PaidNode, type PaidRequest } from "./paid-requests.ts";
import type { ModelPrices } from "./prices.ts";

/** Usage and cost of requests to models. */
export interface Spent {
  readonly usage: Usage;
  /** In US dollars, at the prices that are known. */
  readonly dollars: number;
  /** Requests that were answered. */
  readonly requests: number;
  /** Requests of models without known prices; they are in no sum of dollars. */
  readonly unpriced: number;
}

/** The value before any request. */
export const nothingSpent: Spent = { usage: noUsage, dollars: 0, requests: 0, unpriced: 0 };

/** Returns the sum of both. */
export function addSpent(a: Spent, b: Spent): Spent {
  return {
    usage: addUsage(a.usage, b.usage),
    dollars: a.dollars + b.dollars,
    requests: a.requests + b.requests,
    unpriced: a.unpriced + b.unpriced,
  };
}

/** The usage of messages, total and by part. */
export interface SpentParts {
  readonly total: Spent;
  /** In the order of their first message; without deleted messages. */
  readonly byTurn: ReadonlyMap<TurnId, Spent>;
  readonly byModel: ReadonlyMap<string, Spent>;
  /** By UTC day (`2026-11-23`), in the order of the first message of each; without deleted messages. */
  readonly byDay: ReadonlyMap<string, Spent>;
  readonly byNode: ReadonlyMap<NodeId, Spent>;
}

/** Sums up the usage of nodes, equal completions included, and of `deleted` messages. */
export function spentOn(
  nodes: readonly PaidNode[],
  pricesOf: (modelId: string) => ModelPrices | null,
  deleted: readonly ModelUsage[] = [],
): SpentParts {
  const byTurn = new Map<TurnId, Spent>();
  const byModel = new Map<string, Spent>();
  const byDay = new Map<string, Spent>();
  const byNode = new Map<NodeId, Spent>();
  let total = nothingSpent;
  for (const { model, usage, requests, turn, node, at } of [...nodes.flatMap(counted), ...deleted.map(ofNoTurn)]) {
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
    if (node !== null) byNode.set(node, addSpent(byNode.get(node) ?? nothingSpent, one));
    if (at === null) continue;
    const day = utcDayOf(at);
    byDay.set(day, addSpent(byDay.get(day) ?? nothingSpent, one));
  }
  return { total, byTurn, byModel, byDay, byNode };
}

/**
 * Adds the usage of deleted nodes to the usage recorded before; one entry per model, in the order of their first request.
 */
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

function ofNoTurn(deleted: ModelUsage): TurnUsage {
  return { ...deleted, turn: null, node: null, at: null };
}
