import { counted } from "../../../core/base/counted.ts";
import type { RootId } from "../../../core/base/ids.ts";
import type { Budget } from "../../../core/forest/run-rules.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import { pricesDay } from "../../../core/model/prices.ts";
import { addSpent, nothingSpent, spentOn, type Spent, type SpentParts } from "../../../core/model/spent.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import type { Store } from "../../../core/port/store.ts";
import type { ConversationUsage } from "../../../core/protocol/commands.ts";
import type { ConversationPorts, EffectContext } from "../base/conversation-ports.ts";
import { effectiveRules } from "../base/run-rules.ts";

type SpendingPorts = Pick<ConversationPorts, "store" | "models" | "rules" | "budgets" | "rights">;

/** Returns what a conversation used, and what its budget leaves. */
export async function usageOf(
  ports: SpendingPorts,
  root: EffectContext["root"],
  withMessages = false,
): Promise<ConversationUsage> {
  const { budget } = await effectiveRules(ports.store, root, ports.rules);
  const { own, subAgents } = await spentIn(ports, root.id);
  const byModel = sums(own.byModel, subAgents.byModel);
  const byDay = sums(own.byDay, subAgents.byDay);
  const total = addSpent(own.total, subAgents.total);
  return {
    total,
    subAgents: subAgents.total,
    turns: [...own.byTurn].map(([turnId, spent]) => ({ ...spent, turnId })),
    models: [...byModel]
      .map(([model, spent]) => ({ ...spent, model }))
      .toSorted((a, b) => b.dollars - a.dollars || tokensOf(b) - tokensOf(a)),
    days: [...byDay].map(([day, spent]) => ({ ...spent, day })).toSorted((a, b) => (a.day < b.day ? -1 : 1)),
    ...(withMessages ? { messages: [...own.byNode].map(([nodeId, spent]) => ({ ...spent, nodeId })) } : {}),
    pricesOf: pricesDay,
    budget,
    left: {
      tokens: budget.tokens === undefined ? null : Math.max(0, budget.tokens - tokensOf(total)),
      dollars: budget.dollars === undefined ? null : Math.max(0, budget.dollars - total.dollars),
    },
  };
}

/**
 * Returns why no further request is allowed: a budget of the conversation, or of who began the turn, is used up. A sub-agent uses the budget of the conversation that
 * started it.
 */
export async function budgetFailure(
  ports: SpendingPorts,
  { run, root, turn }: EffectContext,
): Promise<ModelFailure | null> {
  const over = await ports.budgets?.whyNot(ports.rights?.payerOf(run.settings ?? {}) ?? null);
  if (over) return { class: "budget", message: over.message, retryable: false };
  const { budget, family } = await effectiveRules(ports.store, root, ports.rules);
  const { tokens, dollars, steps } = budget;
  if (steps !== undefined && run.headNodeId !== null) {
    const path = await ports.store.path(run.headNodeId);
    if (stepsOf(path, turn.turnId) >= steps) return usedUp(`${counted(steps, "request")} to models in one turn`);
  }
  if (tokens === undefined && dollars === undefined) return null;
  const { own, subAgents } = await spentIn(ports, (family[1] ?? family[0]).id);
  const spent = addSpent(own.total, subAgents.total);
  if (tokens !== undefined && tokensOf(spent) >= tokens) return usedUp(`${tokens} tokens`);
  return dollars !== undefined && spent.dollars >= dollars ? usedUp(`${dollars} US dollars`) : null;
}

/** Returns how many sub-agents a turn may still start; null if there is no limit. */
export async function subAgentsLeft(
  ports: Pick<SpendingPorts, "store" | "rules">,
  root: EffectContext["root"],
  already: number,
): Promise<number | null> {
  const { subAgents }: Budget = (await effectiveRules(ports.store, root, ports.rules)).budget;
  return subAgents === undefined ? null : Math.max(0, subAgents - already);
}

function usedUp(what: string): ModelFailure {
  const message = `The budget of this conversation is used up: ${what}. Raise it, then try again.`;
  return { class: "budget", message, retryable: false };
}

function stepsOf(path: readonly ForestNode[], turnId: EffectContext["turn"]["turnId"]): number {
  return path.filter((node) => node.turnId === turnId && node.message.role === "assistant").length;
}

function sums(own: ReadonlyMap<string, Spent>, more: ReadonlyMap<string, Spent>): ReadonlyMap<string, Spent> {
  const all = new Map(own);
  for (const [key, spent] of more) all.set(key, addSpent(all.get(key) ?? nothingSpent, spent));
  return all;
}

function tokensOf({ usage }: Spent): number {
  return usage.inputTokens + usage.outputTokens;
}

async function spentIn(
  { store, models }: { readonly store: Pick<Store, "paidNodes" | "roots">; readonly models: ModelCatalogue },
  rootId: RootId,
): Promise<{ readonly own: SpentParts; readonly subAgents: SpentParts }> {
  const roots = await store.roots();
  const helpers = roots.filter(({ parent }) => parent?.rootId === rootId);
  const helped = (await Promise.all(helpers.map(({ id }) => store.paidNodes(id)))).flat();
  const pricesById = new Map(models.list().map(({ id, prices = null }) => [id, prices]));
  const pricesOf = (id: string) => pricesById.get(id) ?? null;
  // Deleted messages were paid for too: deleting does not restore a budget.
  const deletedUsage = roots.find(({ id }) => id === rootId)?.deletedUsage;
  return { own: spentOn(await store.paidNodes(rootId), pricesOf, deletedUsage), subAgents: spentOn(helped, pricesOf) };
}
