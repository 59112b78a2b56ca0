import { describe, expect, test } from "vitest";
import { runTextSession } from "./session.ts";
import { torture } from "./torture.ts";

describe("sessions of several replicas", () => {
  test("every replica shows what the oracle shows, whatever order things arrive in", () => {
    const runs = Math.round(1500 * torture);
    for (let seed = 1; seed <= runs; seed += 1) runTextSession(seed);
    expect(runs).toBeGreaterThan(0);
  }, 3_600_000);

  test("and in long sessions, too", () => {
    const runs = Math.max(1, Math.round(6 * torture));
    for (let seed = 1; seed <= runs; seed += 1) runTextSession(seed, 400);
    expect(runs).toBeGreaterThan(0);
  }, 3_600_000);
});
