import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBatch, createCell } from "../../../../src/client/base/observable.ts";
import { subscribePaced } from "./subscribe-paced.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Changes a value each 5 ms for a second, for a listener whose work takes so long; returns what the listener saw. */
async function seenBy(workMs: number, begins: "at once" | "in a microtask"): Promise<readonly number[]> {
  const cell = createCell(0, createBatch());
  const seen: number[] = [];
  let worked = 0;
  const work = (): void => {
    worked += workMs;
  };
  const timers = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => timers() + worked);
  const stop = subscribePaced(cell, 40, () => {
    seen.push(cell.get());
    if (begins === "at once") work();
    else queueMicrotask(work);
  });
  for (let value = 1; value <= 200; value += 1) {
    cell.set(value);
    await vi.advanceTimersByTimeAsync(5);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  stop();
  clock.mockRestore();
  return seen;
}

test("quick work is done each 40 ms, and the last change is among it", async () => {
  const seen = await seenBy(0, "at once");
  expect(seen.length).toBeGreaterThanOrEqual(25);
  expect(seen.length).toBeLessThanOrEqual(27);
  expect(seen.at(-1)).toBe(200);
});

test.each(["at once", "in a microtask"] as const)(
  "slow work that is done %s is done less often, at most each 250 ms, and the last change is among it",
  async (begins) => {
    const slow = await seenBy(5, begins);
    expect(slow.length).toBeGreaterThanOrEqual(11);
    expect(slow.length).toBeLessThanOrEqual(15);
    expect(slow.at(-1)).toBe(200);
    const slowest = await seenBy(100, begins);
    expect(slowest.length).toBeGreaterThanOrEqual(4);
    expect(slowest.length).toBeLessThanOrEqual(10);
    expect(slowest.at(-1)).toBe(200);
  },
);
