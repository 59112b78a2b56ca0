import { expect, test } from "vitest";
import { usualBound } from "./attack.ts";
import { attacked, beyond } from "./attacked.ts";

test("requests in a row whose answers nobody reads cost one connection, and typing goes on", async () => {
  const report = await attacked("pipelined-page", { seconds: 1, short: true });
  expect(report.keystrokes).toBeGreaterThan(20);
  // The bound of `npm run attack` is 250 ms.
  expect(report.slowestMs - report.calm.slowestMs).toBeLessThan(1_000);
  expect(report.memoryMb).toBeLessThan(50);
  expect(report.descriptorsAfter).toBeLessThan(8);
});

test("an attack is judged by what it adds to the times right before it", () => {
  const report = { ...usualBound, calm: { p99Ms: 40, slowestMs: 90 }, keystrokes: 400, found: [] };
  expect(beyond({ bound: usualBound }, { ...report, p99Ms: 140, slowestMs: 340 })).toEqual([]);
  expect(beyond({ bound: usualBound }, { ...report, p99Ms: 142, slowestMs: 345, memoryMb: 51 })).toEqual([
    "p99Ms +102 > 100",
    "slowestMs +255 > 250",
    "memoryMb +51 > 50",
  ]);
  expect(beyond({ bound: usualBound }, { ...report, calm: { p99Ms: Number.NaN, slowestMs: 90 } })).toHaveLength(1);
});
