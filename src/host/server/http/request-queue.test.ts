import { setImmediate as nextIteration } from "node:timers/promises";
import { expect, test } from "vitest";
import { RequestQueue } from "./request-queue.ts";

test("a burst of requests begins one an iteration of the event loop, in order, and a later one begins at once", async () => {
  const queue = new RequestQueue();
  const begun: number[] = [];
  for (const index of [0, 1, 2]) void queue.next().then(() => begun.push(index));
  const seen: number[][] = [];
  for (let iteration = 0; iteration < 4; iteration += 1) {
    await nextIteration();
    seen.push([...begun]);
  }
  expect(seen.at(-1)).toEqual([0, 1, 2]);
  for (const [index, before] of seen.slice(0, -1).entries()) {
    expect((seen[index + 1]?.length ?? 0) - before.length).toBeLessThanOrEqual(1);
  }
  expect(seen[0]?.length).toBeLessThan(3);
  await nextIteration();
  await nextIteration();
  let isBegun = false;
  void queue.next().then(() => (isBegun = true));
  await Promise.resolve();
  expect(isBegun).toBe(true);
});
