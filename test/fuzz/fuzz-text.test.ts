import { expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { fuzzText } from "./fuzz-text.ts";

test("a bad update is refused whole and at once and leaves no trace; a valid one has one meaning everywhere", () => {
  const report = fuzzText(scaled(2_000), 1);
  expect(report.refused + report.harmless + report.taken).toBe(report.cases);
  expect(report.refused).toBeGreaterThan(report.cases * 0.8);
  expect(report.taken).toBeGreaterThan(0);
  expect(report.changedBytes).toBeGreaterThan(report.cases);
});
