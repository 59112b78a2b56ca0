import { counted } from "../../core/base/counted.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { PersonId } from "../../core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { utcDayOf } from "../../core/base/utc-day.ts";
import type { PaidNode } from "../../core/model/paid-requests.ts";
import { spentOn } from "../../core/model/spent.ts";
import type { ModelCatalogue } from "../../core/port/language-model.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import {
  budgetsOf,
  budgetStates,
  firstDayKept,
  isUsedUp,
  plus,
  type BudgetState,
  type Spending,
  type SpendingByDay,
} from "../../core/rights/budget.ts";
import { metaKeys } from "../base/meta-keys.ts";
import type { RightsKeeper } from "./rights-keeper.ts";

interface BudgetPorts {
  readonly store: Pick<Store, "meta" | "commit">;
  readonly keeper: Pick<RightsKeeper, "rights">;
  readonly models: Pick<ModelCatalogue, "list">;
  readonly platform: Pick<Platform, "clock" | "logger">;
}

/** Requests to models that one person pays. */
export interface PaidBy {
  readonly payer: PersonId;
  readonly nodes: readonly PaidNode[];
}

/** Sums that are counted already, with the writes that store them. */
export interface Charge {
  readonly writes: readonly StoreWrite[];
  /** Takes the sums back: their transaction was not made. */
  undo(): void;
}

/**
 * What the people of a team spent on models, by day, and what their budgets leave. A sum is stored in the transaction of the
 * reply that was paid for, so a restart neither forgets nor doubles it.
 */
export class TeamBudgets {
  readonly #ports: BudgetPorts;
  readonly #daysByPerson = new Map<PersonId, ReadonlyMap<string, Spending>>();

  constructor(ports: BudgetPorts) {
    this.#ports = ports;
  }

  /** Returns all budgets, with what was spent of each. */
  async states(): Promise<readonly BudgetState[]> {
    const { keeper, platform } = this.#ports;
    await Promise.all([...keeper.rights.people.keys()].map((person) => this.#daysOf(person)));
    return budgetStates(keeper.rights, (person) => this.#daysByPerson.get(person) ?? new Map(), platform.clock.now());
  }

  /**
   * Returns why a person may not ask a model now: a budget of theirs, or of a group of theirs, is used up. A turn that nobody pays
   * for (null) asks none.
   */
  async whyNot(payer: PersonId | null): Promise<Refusal | null> {
    const { rights } = this.#ports.keeper;
    if (payer === null || !rights.people.has(payer)) return refusal("BUDGET_EXCEEDED", { of: null }, nobodyPays);
    if (rights.budgets.size === 0) return null;
    const over = budgetsOf(await this.states(), rights, payer).find(isUsedUp);
    return over === undefined ? null : usedUp(over);
  }

  /** Counts requests that were paid for. The writes belong in the transaction that stores what they brought. */
  async charge(paid: readonly PaidBy[]): Promise<Charge> {
    for (const { payer } of paid) await this.#daysOf(payer);
    const { models, platform } = this.#ports;
    const pricesById = new Map(models.list().map(({ id, prices = null }) => [id, prices]));
    const today = utcDayOf(platform.clock.now());
    const counts = paid.map(({ payer, nodes }) => {
      const { usage, dollars } = spentOn(nodes, (id) => pricesById.get(id) ?? null).total;
      return { payer, spent: { tokens: usage.inputTokens + usage.outputTokens, dollars } };
    });
    // From here to the sums nothing waits, so that replies at once each count.
    const writes = counts.map(({ payer, spent }) => this.#add(payer, today, spent));
    return {
      writes,
      undo: () => {
        const corrections = counts.map(({ payer, spent: { tokens, dollars } }) =>
          this.#add(payer, today, { tokens: -tokens, dollars: -dollars }),
        );
        // Another transaction may have stored these sums with its own.
        this.#ports.store.commit(corrections).catch((problem: unknown) => {
          platform.logger.warn("spending-not-corrected", { reason: reasonOf(problem) });
        });
      },
    };
  }

  #add(payer: PersonId, day: string, spent: Spending): StoreWrite {
    const since = firstDayKept(this.#ports.platform.clock.now());
    const days = new Map([...(this.#daysByPerson.get(payer) ?? [])].filter(([each]) => each >= since));
    days.set(day, plus(days.get(day) ?? { tokens: 0, dollars: 0 }, spent));
    this.#daysByPerson.set(payer, days);
    return { type: "put-meta", key: metaKeys.spentBy(payer), value: { days: asJson(days) } };
  }

  async #daysOf(person: PersonId): Promise<SpendingByDay> {
    const known = this.#daysByPerson.get(person);
    if (known !== undefined) return known;
    const stored = readDays((await this.#ports.store.meta(metaKeys.spentBy(person)))?.["days"]);
    // Another request may have read and counted meanwhile.
    const days = this.#daysByPerson.get(person) ?? stored;
    this.#daysByPerson.set(person, days);
    return days;
  }
}

const nobodyPays =
  "Nobody of this workspace's people began this turn, so there is nobody whose budget it could use. No model was asked. Send a message, or retry it yourself.";

function asJson(days: SpendingByDay): JsonObject {
  return Object.fromEntries([...days].map(([day, { tokens, dollars }]) => [day, { tokens, dollars }]));
}

function readDays(stored: unknown): SpendingByDay {
  if (!isJsonObject(stored)) return new Map();
  return new Map(
    Object.entries(stored).flatMap(([day, spent]) => {
      const { tokens, dollars } = isJsonObject(spent) ? spent : {};
      return typeof tokens === "number" && typeof dollars === "number" ? [[day, { tokens, dollars }]] : [];
    }),
  );
}

function usedUp({ holder, name, per, limits, spent, freeAt }: BudgetState): Refusal {
  const bounds = [
    ...(limits.tokens === null ? [] : [counted(limits.tokens, "token")]),
    ...(limits.dollars === null ? [] : [`${limits.dollars} US dollars`]),
  ];
  const whose = holder.type === "person" ? `The budget of ${name}` : `The budget of the group ${name}`;
  const free = `${new Date(freeAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const message = `${whose} is used up: ${bounds.join(" and ")} a ${per}. No model was asked. It is free again on ${free}, or when an owner of the workspace raises it.`;
  const facts = { of: holder.type, id: holder.id, name, per, ...limits, spent: { ...spent }, free_at: freeAt };
  return refusal("BUDGET_EXCEEDED", facts, message);
}
