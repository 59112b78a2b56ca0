import type { GroupId, PersonId } from "../base/ids.ts";
import type { SubjectKey } from "./subject.ts";

/** For how long a budget is: a day or a month, by UTC. */
export const budgetPeriods = ["day", "month"] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/** What may be spent in a period; null: no limit. */
export interface SpendingLimits {
  /** Input and output tokens, from 1. */
  readonly tokens: number | null;
  /** In US dollars, above 0. Counts only models whose prices are known. */
  readonly dollars: number | null;
}

/** Who has a budget: a person for what they ask, or a group for what its members ask together. */
export type BudgetHolder =
  | { readonly type: "person"; readonly id: PersonId }
  | { readonly type: "group"; readonly id: GroupId };

/** The budgets of a workspace, as rights hold them. */
export type Budgets = ReadonlyMap<SubjectKey, ReadonlyMap<BudgetPeriod, SpendingLimits>>;
