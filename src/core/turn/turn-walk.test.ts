import { expect, test } from "vitest";
import type { TurnState } from "./state/state.ts";
import { runTurnWalk } from "./turn-walk.test-support.ts";

test("S-20 S-21 S-22 S-23 the turn machine keeps its laws over 40,000 random events", () => {
  const total = { restarts: 0, cancelsWhileRunning: 0, callsRefused: 0, toolRuns: 0, refused: 0, steers: 0 };
  const reached = new Map<string, number>();
  for (let seed = 1; seed <= 200; seed += 1) {
    const report = runTurnWalk(seed, 200);
    total.restarts += report.restarts;
    total.cancelsWhileRunning += report.cancelsWhileRunning;
    total.callsRefused += report.callsRefused;
    total.toolRuns += report.toolRuns;
    total.refused += report.refused;
    total.steers += report.steers;
    for (const [type, times] of Object.entries(report.reached)) reached.set(type, (reached.get(type) ?? 0) + times);
  }
  // Coverage: a law that no event exercises would hold vacuously.
  expect(total.restarts).toBeGreaterThan(200);
  expect(total.cancelsWhileRunning).toBeGreaterThan(50);
  expect(total.callsRefused).toBeGreaterThan(10);
  expect(total.toolRuns).toBeGreaterThan(500);
  expect(total.refused).toBeGreaterThan(1_000);
  expect(total.steers).toBeGreaterThan(500);
  const everyState: readonly TurnState["type"][] = [
    "idle",
    "awaiting",
    "requesting",
    "running-tools",
    "awaiting-approval",
    "awaiting-answer",
    "awaiting-sub-agents",
    "cancelling",
    "cancelling-sub-agents",
    "error",
    "context-exhausted",
    "completed",
    "failed",
  ];
  for (const type of everyState) expect([type, reached.get(type) ?? 0]).toSatisfy(([, times]) => times > 20);
});
