import { expect, test } from "vitest";
import { noUsage } from "../message/usage.ts";
import { costOf } from "./cost.ts";

const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cachedInputTokens: 400_000, thinkingTokens: 50_000 };

test.each([
  ["cached input at its own price", { input: 5, output: 25, cachedInput: 0.5 }, 3 + 0.2 + 2.5],
  ["cached input as any other where it has no price", { input: 5, output: 25 }, 5 + 2.5],
  ["nothing where nothing costs", { input: 0, output: 0 }, 0],
])("%s", (_name, prices, dollars) => {
  expect(costOf(usage, prices)).toBeCloseTo(dollars, 10);
});

test("no usage costs nothing, and more cached than sent is no gain", () => {
  const prices = { input: 5, output: 25, cachedInput: 0.5 };
  expect(costOf(noUsage, prices)).toBe(0);
  expect(costOf({ ...noUsage, inputTokens: 10, cachedInputTokens: 20 }, prices)).toBeCloseTo(0.000005, 12);
});
