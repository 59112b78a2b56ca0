import { expect, test } from "vitest";
import { estimateInputTokens } from "../../../core/message/tokens.ts";
import type { SyntaxTool } from "../../../core/syntax/base/tools.ts";
import { fittingTools } from "./fitting-tools.ts";

const tool: SyntaxTool = { name: "look", description: "word ".repeat(2_000), inputSchema: { type: "object" } };
const told = { system: "Be brief.", explained: "Call look.", tools: [tool] };
const used = estimateInputTokens(
  [],
  `${told.system}${told.explained}${JSON.stringify([[tool.name, tool.description, tool.inputSchema]])}`,
);
/** The smallest windows that leave the least room beside the tools, as tokens and as a share. */
const smallest = used + 1_280;
const quarter = Math.ceil((used * 4) / 3);

test("tools are told where question and answer fit beside them, and left out one token below", () => {
  expect(used).toBeLessThan(3_800);
  expect(fittingTools(told, smallest)).toBe(told);
  const without = fittingTools(told, smallest - 1);
  expect(without).toMatchObject({ system: told.system, tools: [] });
  expect(without.explained).toContain("too small for the tools");
});

test("in a large window a quarter must be left", () => {
  const long = { ...told, system: "word ".repeat(20_000) };
  const usedByLong = estimateInputTokens(
    [],
    `${long.system}${long.explained}${JSON.stringify([[tool.name, tool.description, tool.inputSchema]])}`,
  );
  const window = Math.ceil((usedByLong * 4) / 3);
  expect(fittingTools(long, window)).toBe(long);
  expect(fittingTools(long, window - 2).tools).toEqual([]);
  expect(quarter).toBeLessThan(smallest);
});

test("tools stay where the window is unknown, and a model without tools is told nothing about them", () => {
  expect(fittingTools(told, null)).toBe(told);
  const none = { ...told, tools: [] };
  expect(fittingTools(none, 10)).toBe(none);
});
