import { expect, test } from "vitest";
import { simulatedClock, type SimulatedClock } from "../../../testing/simulated-clock.ts";
import { BroadcastBatcher } from "./broadcast-batcher.ts";

/** A document into which many people have typed every 2 ms for a second; the first mutation of the next batch waits for `enough`. */
async function busy(): Promise<{ batcher: BroadcastBatcher; clock: SimulatedClock; ended: () => boolean }> {
  const clock = simulatedClock();
  const batcher = new BroadcastBatcher(clock);
  for (let at = 0; at < 500; at += 1) {
    batcher.arrived(1);
    await clock.advance(2);
  }
  let isOver = false;
  const wait = batcher.wait(30, 1);
  expect(wait).not.toBeNull();
  void wait?.then(() => (isOver = true));
  return { batcher, clock, ended: () => isOver };
}

test("a wait ends when as many mutations have arrived as are worth a broadcast, not before", async () => {
  const { batcher, clock, ended } = await busy();
  for (const count of [2, 3, 4]) {
    batcher.arrived(count);
    await clock.settle();
    expect(ended()).toBe(false);
  }
  batcher.arrived(5);
  await clock.settle();
  expect(ended()).toBe(true);
});

test("a wait ends by itself after its time, and when other work arrives", async () => {
  const first = await busy();
  await first.clock.advance(9);
  expect(first.ended()).toBe(false);
  await first.clock.advance(1);
  expect(first.ended()).toBe(true);
  const second = await busy();
  second.batcher.cancel();
  await second.clock.settle();
  expect(second.ended()).toBe(true);
  // Nothing waits any more: neither does anything end.
  second.batcher.cancel();
  second.batcher.arrived(9);
});

test("enough mutations, or few watchers, wait for nobody", async () => {
  const { batcher } = await busy();
  expect(batcher.wait(30, 5)).toBeNull();
  expect(batcher.wait(5, 1)).toBeNull();
});
