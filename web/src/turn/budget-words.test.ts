import { expect, test } from "vitest";
import { budgetFrom, budgetWords } from "./budget-words.ts";

const empty = budgetWords({});

test("budgetFrom reads a budget back from its fields", () => {
  const budget = { tokens: 500_000, dollars: 2.5, steps: 40, subAgents: 0 };
  expect(budgetFrom(budgetWords(budget))).toEqual({ ok: true, value: budget });
  expect(budgetFrom(empty)).toEqual({ ok: true, value: null });
  expect(budgetFrom({ ...empty, dollars: " 0,25 " })).toEqual({ ok: true, value: { dollars: 0.25 } });
});

test.each([
  ["tokens", "0"],
  ["tokens", "1.5"],
  ["tokens", "many"],
  ["dollars", "0"],
  ["dollars", "-1"],
  ["dollars", "Infinity"],
  ["steps", "-3"],
  ["subAgents", "-1"],
  ["subAgents", "1e400"],
] as const)("budgetFrom refuses %s of %s", (name, said) => {
  const read = budgetFrom({ ...empty, [name]: said });
  expect(read.ok ? "" : read.error).toMatch(/enter a (?:whole )?number/);
});
