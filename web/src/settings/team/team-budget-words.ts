import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import type { BudgetPeriod } from "../../../../src/core/rights/spending-limits.ts";

export const periodWords: Readonly<Record<BudgetPeriod, string>> = { day: "a day", month: "a month" };

type Budget = CommandAnswer<"budget.list">["budgets"][number];

/** Returns what was spent of a budget, and when it is free again once it is used up. */
export function budgetSentence({ per, tokens, dollars, spent, isUsedUp, freeAt }: Omit<Budget, "of" | "name">): string {
  const parts = [
    ...(tokens === null ? [] : [`${count(spent.tokens)} of ${count(tokens)} tokens`]),
    ...(dollars === null ? [] : [`$${spent.dollars.toFixed(2)} of $${dollars.toFixed(2)}`]),
  ];
  const said = `${parts.join(" and ")} ${periodWords[per]}`;
  return isUsedUp ? `${said}: used up until ${new Date(freeAt).toISOString().slice(0, 10)}` : said;
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}
