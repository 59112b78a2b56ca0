import { expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { fuzzMcp } from "./fuzz-mcp.ts";

test("I-60 a mutated MCP frame crashes nothing, and one that is refused has no effect", async () => {
  const report = await fuzzMcp(scaled(400), 1);
  expect(report.wrong).toEqual([]);
  expect(report.refused).toBeGreaterThan(report.cases / 2);
  expect(report.accepted).toBeGreaterThan(report.cases / 20);
  expect(report.effects).toBeGreaterThan(5);
});
