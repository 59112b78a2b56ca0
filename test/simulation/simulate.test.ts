import { expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { simulate } from "./simulate.ts";

test("server, clients and agent have the same state when idle, after any network faults and power cuts", async () => {
  let crashes = 0;
  let forgotten = 0;
  for (let seed = 1; seed <= scaled(25, 500); seed += 1) {
    const report = await simulate(seed);
    crashes += report.crashes;
    forgotten += report.forgotten;
  }
  expect(crashes).toBeGreaterThan(20);
  expect(forgotten).toBeGreaterThan(500);
});

test("a seed replays the same run, event by event", async () => {
  expect(await simulate(7)).toEqual(await simulate(7));
});
