import { expect, test } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

test("a burst passes, then the steady rate", () => {
  const bucket = new TokenBucket({ perSecond: 10, burst: 5 }, 0);
  expect(Array.from({ length: 5 }, () => bucket.take(1, 0))).toEqual([0, 0, 0, 0, 0]);
  expect(bucket.take(1, 0)).toBe(100);
  expect(bucket.take(1, 100)).toBe(100);
  expect(bucket.take(1, 1000)).toBe(0);
});

test("idle time is not saved up beyond the burst", () => {
  const bucket = new TokenBucket({ perSecond: 10, burst: 5 }, 0);
  bucket.take(0, 1_000_000);
  expect(bucket.take(6, 1_000_000)).toBe(100);
});
