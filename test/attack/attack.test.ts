import { expect, test } from "vitest";
import { attacked } from "./attacked.ts";

test("requests in a row whose answers nobody reads cost one connection, and typing goes on", async () => {
  const report = await attacked("pipelined-page", { seconds: 1, short: true });
  expect(report.keystrokes).toBeGreaterThan(20);
  // The bound of `npm run attack` on a quiet machine is 250 ms.
  expect(report.slowestMs).toBeLessThan(1_000);
  expect(report.memoryMb).toBeLessThan(50);
  expect(report.descriptorsAfter).toBeLessThan(8);
});
