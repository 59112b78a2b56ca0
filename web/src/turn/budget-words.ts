import { err, ok, type Result } from "../../../src/core/base/result.ts";
import type { Budget } from "../../../src/core/forest/run-rules.ts";

/** A budget as the text of its fields; an empty field sets no bound. */
export type BudgetWords = { readonly [Name in keyof Required<Budget>]: string };

/** The bounds of a budget, as people set them. */
export const budgetFields: readonly {
  readonly name: keyof Budget;
  readonly label: string;
  readonly least: number;
  readonly whole: boolean;
}[] = [
  { name: "tokens", label: "Total tokens", least: 1, whole: true },
  { name: "dollars", label: "Total US dollars", least: Number.MIN_VALUE, whole: false },
  { name: "steps", label: "Requests in one turn", least: 1, whole: true },
  { name: "subAgents", label: "Sub-agents in one turn", least: 0, whole: true },
];

export function budgetWords(budget: Budget): BudgetWords {
  const word = (value: number | undefined): string => (value === undefined ? "" : String(value));
  return {
    tokens: word(budget.tokens),
    dollars: word(budget.dollars),
    steps: word(budget.steps),
    subAgents: word(budget.subAgents),
  };
}

/** Returns the budget of the fields; null when all are empty; or a refusal that names the invalid field. */
export function budgetFrom(words: BudgetWords): Result<Budget | null, string> {
  const budget: { -readonly [Name in keyof Budget]: Budget[Name] } = {};
  for (const { name, label, least, whole } of budgetFields) {
    const said = words[name].trim().replace(",", ".");
    if (said === "") continue;
    const value = Number(said);
    const fits = Number.isFinite(value) && value >= least && (!whole || Number.isSafeInteger(value));
    if (!fits) {
      const wanted = whole ? `a whole number from ${least}` : "a number above 0";
      return err(`${label}: enter ${wanted}, or leave it empty for no limit.`);
    }
    budget[name] = value;
  }
  return ok(Object.keys(budget).length === 0 ? null : budget);
}
