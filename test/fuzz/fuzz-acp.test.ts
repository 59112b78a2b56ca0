import { expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { fuzzAcp } from "./fuzz-acp.ts";

test("I-60 a mutated frame crashes neither end of ACP, and one that is refused has no effect", async () => {
  const report = await fuzzAcp(scaled(2_000, 50), 1);
  expect(report.refused + report.carriedOut + report.ignored).toBe(report.frames);
  expect(report.refused).toBeGreaterThan(report.frames / 2);
  expect(report.carriedOut).toBeGreaterThan(0);
});
