import { expect, test } from "vitest";
import { budgetSentence } from "./team-budget-words.ts";

const at = Date.parse("2026-12-01");

test.each([
  [{ tokens: 10_000, dollars: null }, false, "1,500 of 10,000 tokens a month"],
  [{ tokens: null, dollars: 2.5 }, false, "$1.20 of $2.50 a month"],
  [{ tokens: 1_000, dollars: 9 }, true, "1,500 of 1,000 tokens and $1.20 of $9.00 a month: used up until 2026-12-01"],
])("21.6 a budget of %j is said with what was spent of it", (limits, isUsedUp, words) => {
  const spent = { tokens: 1_500, dollars: 1.2 };
  expect(budgetSentence({ ...limits, per: "month", spent, isUsedUp, freeAt: at })).toBe(words);
});
