import { expect, test } from "vitest";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { StoreRefusal } from "../../core/port/store.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { WriteCheck } from "./write-check.ts";

type Answer = Result<void, StoreRefusal>;

const refused = (code: "STORE_FULL" | "STORE_FAILED"): Answer => err({ code, index: 1, reason: "" });

test.each([
  ["ok", async () => ok(undefined)],
  ["STORE_FULL", async () => refused("STORE_FULL")],
  ["STORE_FAILED", async () => refused("STORE_FAILED")],
  ["STORE_FAILED", () => Promise.reject<Answer>(new Error("another process has taken the database"))],
])("19.10 the check of writes says %s as the store answers", async (expected, commit) => {
  expect(await new WriteCheck({ commit }, simulatedClock()).writes()).toBe(expected);
});

test("19.10 the check of writes asks once a second, and a silent store no second time", async () => {
  const clock = simulatedClock();
  const waiting: ((answer: Answer) => void)[] = [];
  const check = new WriteCheck({ commit: () => new Promise((resolve) => waiting.push(resolve)) }, clock);
  const first = [check.writes(), check.writes()];
  await clock.advance(2_000);
  expect(await Promise.all(first)).toEqual(["NO_ANSWER", "NO_ANSWER"]);
  const second = check.writes();
  await clock.advance(2_000);
  expect([await second, waiting.length]).toEqual(["NO_ANSWER", 1]);
  waiting[0]?.(ok(undefined));
  await clock.advance(1);
  const third = check.writes();
  waiting[1]?.(ok(undefined));
  expect([await third, await check.writes(), waiting.length]).toEqual(["ok", "ok", 2]);
});
