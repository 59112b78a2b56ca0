import { expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { simulateCluster, type SimulationFaults } from "./simulate.ts";

const seeds = scaled(500);
const from = Number(process.env["HEDDLE_SEED"] ?? 1);

async function firstFound(faults: SimulationFaults, count: number): Promise<string | null> {
  for (let seed = from; seed < from + count; seed += 1) {
    const { problems } = await simulateCluster(seed, faults);
    if (problems.length > 0) return `seed ${seed}: ${problems.slice(0, 5).join("; ")}`;
  }
  return null;
}

test(`N-45 kills, stops, cuts, restarts and jumps of the clock: no stale write, nothing acknowledged lost (${seeds} seeds)`, async () => {
  expect(await firstFound({}, seeds)).toBeNull();
}, 600_000);

/** Each is found within 2,000 seeds, or the simulation would prove nothing about it. */
const planted: readonly (keyof SimulationFaults)[] = [
  "fenceIgnoresState",
  "fenceIgnoresEpoch",
  "reapIgnoresLock",
  "acquireIgnoresEpoch",
  "handOverIgnoresLock",
  "settleReadsPlainly",
  "joinIgnoresLock",
  "acknowledgesEarly",
  "renewedByAnswer",
];

test.each(planted)(
  "N-45 the simulation finds a planted fault: %s",
  async (fault) => {
    expect(await firstFound({ [fault]: true }, 2_000)).not.toBeNull();
  },
  120_000,
);

test("a seed replays exactly", async () => {
  expect(await simulateCluster(34)).toEqual(await simulateCluster(34));
  const faulty = { reapIgnoresLock: true };
  expect(await simulateCluster(45, faulty)).toEqual(await simulateCluster(45, faulty));
});
