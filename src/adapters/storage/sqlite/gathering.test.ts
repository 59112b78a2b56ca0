import { expect, test } from "vitest";
import { Gathering } from "./gathering.ts";

/** Feeds commits at these times and sends each batch after its wait; returns the batch sizes. */
function batches(times: readonly number[]): readonly number[] {
  const gathering = new Gathering();
  const sizes: number[] = [];
  for (let index = 0; index < times.length;) {
    const first = times[index] ?? 0;
    gathering.came(first);
    const waitMs = gathering.waitMs(first);
    let size = 1;
    for (let at = times[index + size]; at !== undefined && at < first + waitMs; at = times[index + size]) {
      gathering.came(at);
      size += 1;
    }
    gathering.sent(first + waitMs, { waitedMs: waitMs, joined: size - 1 });
    sizes.push(size);
    index += size;
  }
  return sizes;
}

function every(gapMs: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index * gapMs);
}

test("rare commits are sent at once", () => {
  expect(new Set(batches(every(5, 100)))).toEqual(new Set([1]));
});

test("two thousand commits a second are sent in batches of sixteen", () => {
  const sizes = batches(every(0.5, 4_000));
  expect(sizes.length).toBeLessThan(300);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(17);
});

test("two thousand commits a second in bursts are batched as well", () => {
  const times = every(2, 1_000).flatMap((at) => [at, at, at, at]);
  expect(batches(times).length).toBeLessThan(300);
});

test("sequential commits rarely wait in vain", () => {
  const gathering = new Gathering();
  let now = 0;
  let waited = 0;
  for (let commit = 0; commit < 1_000; commit += 1) {
    gathering.came(now);
    const waitMs = gathering.waitMs(now);
    waited += waitMs;
    now += waitMs;
    gathering.sent(now, { waitedMs: waitMs, joined: 0 });
    now += 0.5;
  }
  expect(waited).toBeLessThan(0.05 * now);
});
