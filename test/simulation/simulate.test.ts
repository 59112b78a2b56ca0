import { expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { simulate } from "./simulate.ts";

test("server, clients and agent have the same state when idle, after any network faults and power cuts", async () => {
  let crashes = 0;
  let forgotten = 0;
  const lives = scaled(15, 500);
  for (let seed = 1; seed <= lives; seed += 1) {
    const report = await simulate(seed);
    crashes += report.crashes;
    forgotten += report.forgotten;
  }
  expect(crashes).toBeGreaterThan(lives * 0.4);
  expect(forgotten).toBeGreaterThan(lives * 10);
});

test("a seed replays the same run, event by event", async () => {
  expect(await simulate(7)).toEqual(await simulate(7));
});
