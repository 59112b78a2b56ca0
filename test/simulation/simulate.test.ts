import { expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { simulate } from "./simulate.ts";

test("19.13 server, clients and agent have the same state when idle, after faults of network, disk, clock and model at once", async () => {
  let crashes = 0;
  let forgotten = 0;
  const faults = { full: 0, unheard: 0, jumps: 0, broken: 0 };
  const lives = scaled(200, 500);
  for (let seed = 1; seed <= lives; seed += 1) {
    const report = await simulate(seed);
    crashes += report.crashes;
    forgotten += report.forgotten;
    for (const fault of ["full", "unheard", "jumps", "broken"] as const) faults[fault] += report.faults[fault];
  }
  expect(crashes).toBeGreaterThan(lives * 0.4);
  expect(forgotten).toBeGreaterThan(lives * 10);
  for (const count of Object.values(faults)) expect(count).toBeGreaterThan(lives * 0.2);
});

test("a seed replays the same run, event by event", async () => {
  expect(await simulate(7)).toEqual(await simulate(7));
});
