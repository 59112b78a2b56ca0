import { expect, test } from "vitest";
import type { Clock } from "../../../core/port/platform.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { SharedTicks } from "./shared-ticks.ts";

test("16.8 whoever waits is run at the next tick, all at the same moment and each once", async () => {
  const clock = simulatedClock();
  const ticks = new SharedTicks(clock, 100);
  const ran: string[] = [];
  const wait = (name: string) => ticks.next(() => void ran.push(`${name} at ${clock.monotonic()}`));
  await clock.advance(30);
  wait("a");
  await clock.advance(40);
  wait("b");
  await clock.advance(130);
  expect(ran).toEqual(["a at 100", "b at 100"]);
  // At a tick itself the next one is waited for.
  wait("c");
  await clock.advance(100);
  expect(ran.slice(2)).toEqual(["c at 300"]);
  expect(clock.timers).toBe(0);
});

test("what is cancelled does not run, and nothing is waited for without anybody", async () => {
  const clock = simulatedClock();
  const ticks = new SharedTicks(clock, 100);
  const ran: string[] = [];
  const cancelA = ticks.next(() => void ran.push("a"));
  const cancelB = ticks.next(() => void ran.push("b"));
  cancelA();
  cancelA();
  expect(clock.timers).toBe(1);
  await clock.advance(100);
  expect(ran).toEqual(["b"]);
  cancelB();
  ticks.next(() => void ran.push("c"))();
  expect(clock.timers).toBe(0);
  ticks.next(() => void ran.push("d"));
  await clock.advance(100);
  expect(ran).toEqual(["b", "d"]);
});

test("a timer that fires early has had its tick", () => {
  let now = 0;
  let fire = (): void => {};
  const waits: number[] = [];
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    setTimer: (ms, callback) => {
      waits.push(ms);
      fire = callback;
      return () => {};
    },
  };
  const ticks = new SharedTicks(clock, 100);
  const again = (): void => void ticks.next(again);
  again();
  now = 99.5;
  fire();
  expect(waits).toEqual([100, 100.5]);
});
