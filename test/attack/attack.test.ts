import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { usualBound } from "./attack.ts";
import { attacked, beyond } from "./attacked.ts";
import { attacks } from "./attacks.ts";
import { trials } from "./trials.ts";

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

test("19.14 bad frames end their connections, nobody else's, and delay nobody", async () => {
  const report = await attacked("frames", { seconds: 1, short: true });
  expect(report.found).toEqual([]);
  expect(report.slowestMs - report.calm.slowestMs).toBeLessThan(1_000);
  expect(report.descriptorsAfter).toBeLessThan(8);
});

test("19.14 a server that was stopped goes on, and what was typed meanwhile arrives", async () => {
  const report = await attacked("stopped-process", { seconds: 1, short: true });
  expect(report.found).toEqual([]);
  expect(report.slowestMs).toBeGreaterThan(500);
});

test("19.14 each kind of attack of the list exists, and the tests that try one are there", () => {
  expect([...Object.keys(attacks), ...Object.keys(trials)]).toEqual(
    expect.arrayContaining([
      "silent",
      "pipelined-page",
      "slow-readers",
      "smuggling",
      "frames",
      "damaged-files",
      "full-disk",
      "power-cut",
      "stopped-process",
      "hooks",
      "escapes",
      "mcp-children",
    ]),
  );
  const files = Object.values(trials).flatMap(({ tests }) => tests);
  expect(files.filter((path) => !existsSync(join(import.meta.dirname, "../..", path)))).toEqual([]);
});
