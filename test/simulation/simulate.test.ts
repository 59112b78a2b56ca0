import { expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { simulate } from "./simulate.ts";

/** Lives in each test: 200 in all. */
const lives = scaled(25, 250);

test.each([0, 1, 2, 3, 4, 5, 6, 7])(
  "19.13 server, clients and agent have the same state when idle, after faults of network, disk, clock, model, MCP server and folder at once (lot %i)",
  async (lot) => {
    const sums = { crashes: 0, forgotten: 0, works: 0, full: 0, unheard: 0, jumps: 0, broken: 0, child: 0, file: 0 };
    for (let seed = lot * lives + 1; seed <= (lot + 1) * lives; seed += 1) {
      const { faults, crashes, forgotten, works } = await simulate(seed);
      for (const [name, count] of Object.entries({ ...faults, crashes, forgotten, works }))
        sums[name as keyof typeof sums] += count;
    }
    const { forgotten, works, ...faults } = sums;
    expect(forgotten).toBeGreaterThan(lives);
    expect(works).toBeGreaterThan(lives);
    for (const [fault, count] of Object.entries(faults)) expect(count, fault).toBeGreaterThan(lives * 0.05);
  },
);

test("a seed replays the same run, event by event", async () => {
  expect(await simulate(7)).toEqual(await simulate(7));
});
