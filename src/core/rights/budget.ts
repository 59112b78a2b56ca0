import type { PersonId } from "../base/ids.ts";
import { utcDayOf } from "../base/utc-day.ts";
import type { Rights } from "./rights.ts";
import { budgetPeriods, type BudgetHolder, type BudgetPeriod, type SpendingLimits } from "./spending-limits.ts";
import { subjectKey } from "./subject.ts";

/** What was spent on models. */
export interface Spending {
  readonly tokens: number;
  readonly dollars: number;
}

/** What somebody spent, by UTC day (`2026-11-23`). */
export type SpendingByDay = ReadonlyMap<string, Spending>;

/** A budget with what was spent of it in the period under way. */
export interface BudgetState {
  readonly holder: BudgetHolder;
  readonly name: string;
  readonly per: BudgetPeriod;
  readonly limits: SpendingLimits;
  readonly spent: Spending;
  /** When the next period begins, in UTC milliseconds. */
  readonly freeAt: number;
}

/** Returns all budgets that are in force, people's first. */
export function budgetStates(
  rights: Rights,
  spendingOf: (person: PersonId) => SpendingByDay,
  now: number,
): readonly BudgetState[] {
  const people = [...rights.people].flatMap(([id, name]) => statesOf(rights, { holder: { type: "person", id }, name }));
  const groups = [...rights.groups].flatMap(([id, { name }]) =>
    statesOf(rights, { holder: { type: "group", id }, name }),
  );
  return [...people, ...groups].map(({ members, ...budget }) => {
    const spent = members.map((person) => spentIn(spendingOf(person), budget.per, now)).reduce(plus, nothing);
    return { ...budget, spent, freeAt: nextPeriod(budget.per, now) };
  });
}

/** Returns the budgets that a person's requests are paid from, their own first. */
export function budgetsOf(states: readonly BudgetState[], rights: Rights, person: PersonId): readonly BudgetState[] {
  return states.filter(({ holder }) =>
    holder.type === "person" ? holder.id === person : rights.groups.get(holder.id)?.members.has(person) === true,
  );
}

/** Whether nothing more may be spent of a budget in its period. */
export function isUsedUp({ limits, spent }: Pick<BudgetState, "limits" | "spent">): boolean {
  const { tokens, dollars } = limits;
  return (tokens !== null && spent.tokens >= tokens) || (dollars !== null && spent.dollars >= dollars);
}

/** Returns the first day of the month before a time: what is older counts in no period. */
export function firstDayKept(now: number): string {
  return `${utcDayOf(monthStart(now) - 1).slice(0, 8)}01`;
}

export function plus(one: Spending, other: Spending): Spending {
  return { tokens: one.tokens + other.tokens, dollars: one.dollars + other.dollars };
}

const nothing: Spending = { tokens: 0, dollars: 0 };
const dayMs = 86_400_000;

type Named = Pick<BudgetState, "holder" | "name">;

function statesOf({ budgets, groups }: Rights, { holder, name }: Named) {
  const own = budgets.get(subjectKey(holder));
  const members = holder.type === "person" ? [holder.id] : [...(groups.get(holder.id)?.members ?? [])];
  return budgetPeriods.flatMap((per) => {
    const limits = own?.get(per);
    return limits === undefined ? [] : [{ holder, name, per, limits, members }];
  });
}

function spentIn(days: SpendingByDay, per: BudgetPeriod, now: number): Spending {
  const today = utcDayOf(now);
  const begin = per === "day" ? today : today.slice(0, 8);
  return [...days].flatMap(([day, spent]) => (day.startsWith(begin) ? [spent] : [])).reduce(plus, nothing);
}

function nextPeriod(per: BudgetPeriod, now: number): number {
  const tomorrow = (Math.floor(now / dayMs) + 1) * dayMs;
  if (per === "day") return tomorrow;
  // A month has at most 31 days: its first day is among the next 31.
  let day = tomorrow;
  while (!utcDayOf(day).endsWith("-01")) day += dayMs;
  return day;
}

function monthStart(now: number): number {
  let day = Math.floor(now / dayMs) * dayMs;
  while (!utcDayOf(day).endsWith("-01")) day -= dayMs;
  return day;
}
