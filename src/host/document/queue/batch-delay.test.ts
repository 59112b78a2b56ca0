import { expect, test } from "vitest";
import { BatchDelay } from "./batch-delay.ts";

/** Returns the delay of the next mutation after `count` mutations, one every `gapMs`, with `audience` watchers. */
function after(count: number, gapMs: number, audience: number): { readonly waitMs: number; readonly enough: number } {
  const delay = new BatchDelay();
  for (let arrived = 0; arrived < count; arrived += 1) delay.arrived(arrived * gapMs);
  return delay.next(audience, (count - 1) * gapMs);
}

test.each([
  ["alone does not wait, however many watch", after(1, 0, 200), { waitMs: 0, enough: 1 }],
  ["at one keyboard's rate does not wait, however many watch", after(100, 100, 200), { waitMs: 0, enough: 1 }],
  ["with nine others does not wait when fifty watch", after(100, 12.5, 50), { waitMs: 0, enough: 1 }],
  [
    "with forty-nine others waits 17 ms for one more letter when fifty-one watch",
    after(100, 10, 51),
    { waitMs: 17, enough: 2 },
  ],
  ["with many others does not wait when eleven watch", after(1_000, 1, 11), { waitMs: 0, enough: 1 }],
  ["with many others waits 10 ms for five mutations when thirty watch", after(1_000, 2, 30), { waitMs: 10, enough: 5 }],
  [
    "with many others waits the maximum of 50 ms when two hundred watch",
    after(1_000, 1, 200),
    { waitMs: 50, enough: 50 },
  ],
])("the mutation of a person who types %s", (_who, delay, expected) => {
  expect(delay).toEqual(expected);
});

test("a mutation does not wait when the others have stopped typing", () => {
  const delay = new BatchDelay();
  for (let at = 0; at < 1_000; at += 2) delay.arrived(at);
  expect(delay.next(50, 1_000).waitMs).toBeGreaterThan(0);
  expect(delay.next(50, 1_500).waitMs).toBe(0);
});
