import { describe, expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { runTextSession } from "./session.ts";

describe("sessions of several replicas", () => {
  test("every replica shows the oracle's text, in whatever order operations arrive", () => {
    const runs = scaled(400, 15_000);
    for (let seed = 1; seed <= runs; seed += 1) runTextSession(seed);
    expect(runs).toBeGreaterThan(0);
  }, 3_600_000);

  test("every replica shows the oracle's text in long sessions too", () => {
    const runs = scaled(2, 60);
    for (let seed = 1; seed <= runs; seed += 1) runTextSession(seed, 400);
    expect(runs).toBeGreaterThan(0);
  }, 3_600_000);
});
