import { expect, test } from "vitest";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { Activities, type Activity } from "./activities.ts";

const isAborted = ({ controller }: Activity): boolean => controller.signal.aborted;

test("an activity replaces the one with the same subject, which is aborted and no longer current", () => {
  const activities = new Activities();
  const first = activities.begin("request");
  const other = activities.begin("deadline");
  const second = activities.begin("request");
  expect([first, second, other].map(isAborted)).toEqual([true, false, false]);
  expect([first, second, other].map((each) => activities.isCurrent(each))).toEqual([false, true, true]);
});

test("the report of a replaced activity does not settle the one that replaced it", () => {
  const activities = new Activities();
  const first = activities.begin("request");
  const second = activities.begin("request");
  activities.settle(first);
  expect(activities.has("request")).toBe(true);
  activities.settle(second);
  expect(activities.has("request")).toBe(false);
});

test("an activity that is asked to end still reports", () => {
  const activities = new Activities();
  const activity = activities.begin("request");
  activities.abort("request");
  expect([isAborted(activity), activities.isCurrent(activity)]).toEqual([true, true]);
});

test("what a state has no room for is aborted and forgotten; the rest goes on", () => {
  const activities = new Activities();
  const kept = activities.begin("request");
  const left = activities.begin("tool/call-1");
  activities.keepOnly(new Set(["request"]));
  expect([kept, left].map(isAborted)).toEqual([false, true]);
  expect([activities.has("request"), activities.has("tool/call-1")]).toEqual([true, false]);
  activities.dropAll();
  expect([isAborted(kept), activities.has("request")]).toEqual([true, false]);
});

test("ending waits for the activities it names, and for no other", async () => {
  const activities = new Activities();
  const { promise, resolve } = Promise.withResolvers<void>();
  const named = activities.begin("tool/call-1");
  named.settled = promise;
  const other = activities.begin("request");
  other.settled = new Promise(() => {});
  let isOver = false;
  const clock = simulatedClock();
  const ended = activities.end(["tool/call-1", "tool/call-2"], { clock, graceMs: 1_000 }).then(() => (isOver = true));
  expect([named, other].map(isAborted)).toEqual([true, false]);
  expect([activities.has("tool/call-1"), activities.has("request")]).toEqual([false, true]);
  await clock.advance(999);
  expect(isOver).toBe(false);
  resolve();
  await ended;
});

test("an activity that does not end is abandoned when the grace is over", async () => {
  const activities = new Activities();
  const deaf = activities.begin("request");
  deaf.settled = new Promise(() => {});
  const clock = simulatedClock();
  const ended = activities.endAll({ clock, graceMs: 1_000 });
  expect([isAborted(deaf), activities.has("request")]).toEqual([true, false]);
  await clock.advance(1_000);
  await ended;
});
