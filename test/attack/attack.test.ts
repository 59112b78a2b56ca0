import { expect, test } from "vitest";
import { attacked } from "./attacked.ts";

test("20,000 requests that nobody reads cost one connection, and typing goes on", async () => {
  const report = await attacked("pipelined-page", { seconds: 1, short: true });
  expect(report.keystrokes).toBeGreaterThan(20);
  // The bound on a quiet machine is 250 ms; without the gate nothing arrives until the attack is over.
  expect(report.slowestMs).toBeLessThan(1_000);
  expect(report.memoryMb).toBeLessThan(50);
  expect(report.descriptorsAfter).toBeLessThan(8);
});
