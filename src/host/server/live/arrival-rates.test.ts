import { expect, test } from "vitest";
import { serverLimits } from "../http/server-limits.ts";
import { ArrivalRates } from "./arrival-rates.ts";

const { messagesBurst, messagesPerSecond, bytesBurst, bytesPerSecond } = serverLimits;

test("messages beyond what may come at once wait for their rate", () => {
  const rates = new ArrivalRates(0);
  for (let count = 0; count < messagesBurst; count += 1) expect(rates.take(0, 0)).toBe(0);
  expect(rates.take(0, 0)).toBe(Math.ceil(1_000 / messagesPerSecond));
  // Paid back with time, and never above what may come at once.
  expect(rates.take(0, 1_000_000)).toBe(0);
  for (let count = 1; count < messagesBurst; count += 1) expect(rates.take(0, 1_000_000)).toBe(0);
  expect(rates.take(0, 1_000_000)).toBeGreaterThan(0);
});

test("bytes beyond what may come at once wait for theirs, whichever is longer", () => {
  const rates = new ArrivalRates(0);
  expect(rates.take(bytesBurst, 0)).toBe(0);
  expect(rates.take(bytesPerSecond, 0)).toBe(1_000);
  expect(rates.take(0, 400)).toBe(600);
  expect(rates.take(0, 1_000)).toBe(0);
});
