import { expect, test } from "vitest";
import { simulatedClock } from "./simulated-clock.ts";

test("timers fire at their instants, in order, with what they cause in between", async () => {
  const clock = simulatedClock(1_000);
  const told: string[] = [];
  const tell = (what: string) => (): void => void told.push(`${what} at ${clock.now()}`);
  clock.setTimer(20, tell("second"));
  clock.setTimer(20, tell("third"));
  clock.setTimer(10, () => {
    void Promise.resolve().then(() => clock.setTimer(5, tell("caused")));
    tell("first")();
  });
  clock.setTimer(15, tell("cancelled"))();
  await clock.advance(30);
  expect(told).toEqual(["first at 1010", "caused at 1015", "second at 1020", "third at 1020"]);
  expect([clock.now(), clock.monotonic(), clock.timers]).toEqual([1_030, 30, 0]);
});

test("time stands still in between", async () => {
  const clock = simulatedClock();
  let fired = false;
  clock.setTimer(10, () => {
    fired = true;
  });
  await clock.advance(9);
  expect(fired).toBe(false);
  await clock.advance(1);
  expect(fired).toBe(true);
});
