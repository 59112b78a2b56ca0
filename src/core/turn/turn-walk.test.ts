import { expect, test } from "vitest";
import { runTurnWalk } from "./turn-walk.test-support.ts";

test("S-20 S-21 S-22 the laws of a turn hold over 20,000 random events", () => {
  const total = { restarts: 0, cancelsWhileRunning: 0, callsRefused: 0, toolRuns: 0, refused: 0 };
  for (let seed = 1; seed <= 100; seed += 1) {
    const report = runTurnWalk(seed, 200);
    total.restarts += report.restarts;
    total.cancelsWhileRunning += report.cancelsWhileRunning;
    total.callsRefused += report.callsRefused;
    total.toolRuns += report.toolRuns;
    total.refused += report.refused;
  }
  // The walks got around: a law that nothing tries holds for the wrong reason.
  expect(total.restarts).toBeGreaterThan(200);
  expect(total.cancelsWhileRunning).toBeGreaterThan(50);
  expect(total.callsRefused).toBeGreaterThan(10);
  expect(total.toolRuns).toBeGreaterThan(500);
  expect(total.refused).toBeGreaterThan(1_000);
});
