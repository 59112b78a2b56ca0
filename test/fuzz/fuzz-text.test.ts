import { expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { fuzzText } from "./fuzz-text.ts";

test("a mutated or truncated update is refused whole, at once, and leaves no trace", () => {
  const report = fuzzText(scaled(2_000), 1);
  expect(report.refused + report.harmless).toBe(report.cases);
  expect(report.refused).toBeGreaterThan(report.cases * 0.9);
});
