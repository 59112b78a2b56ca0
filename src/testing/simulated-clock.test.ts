import { expect, test } from "vitest";
import { simulatedClock } from "./simulated-clock.ts";

test("timers fire at their times, in order, together with timers that they start", async () => {
  const clock = simulatedClock(1_000);
  const fired: string[] = [];
  const record = (what: string) => (): void => void fired.push(`${what} at ${clock.now()}`);
  clock.setTimer(20, record("second"));
  clock.setTimer(20, record("third"));
  clock.setTimer(10, () => {
    void Promise.resolve().then(() => clock.setTimer(5, record("caused")));
    record("first")();
  });
  clock.setTimer(15, record("cancelled"))();
  await clock.advance(30);
  expect(fired).toEqual(["first at 1010", "caused at 1015", "second at 1020", "third at 1020"]);
  expect([clock.now(), clock.monotonic(), clock.timers]).toEqual([1_030, 30, 0]);
});

test("time does not pass between calls of advance", async () => {
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
