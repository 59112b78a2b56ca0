import { expect, test } from "vitest";
import { takeThreads, type Thread } from "./thread.ts";

function thread(id: string, createdAt: number, version = 1, more: { deletedAt?: number } = {}): Thread {
  return {
    id,
    createdAt,
    version,
    state: "open",
    anchor: null,
    comments: [],
    events: [],
    ...more,
  } as unknown as Thread;
}

const ids = (threads: readonly Thread[]): readonly string[] => threads.map(({ id }) => id);

test("threads are in the order in which they began; those of one moment have one order for everybody", () => {
  const [a, b, c] = [thread("a", 5), thread("b", 5), thread("c", 1)];
  for (const threads of [
    [a, b, c],
    [c, b, a],
    [b, a, c],
  ]) {
    expect(ids(takeThreads([], { whole: true, threads }))).toEqual(["c", "a", "b"]);
  }
});

test("a part of the threads adds to those that are known; all of them replace those", () => {
  const known = [thread("a", 1), thread("b", 2)];
  expect(ids(takeThreads(known, { whole: false, threads: [thread("c", 3)] }))).toEqual(["a", "b", "c"]);
  expect(ids(takeThreads(known, { whole: true, threads: [thread("c", 3)] }))).toEqual(["c"]);
});

test("an older version never replaces a newer one, an equal one does, and a deleted thread is gone", () => {
  const known = [thread("a", 1, 3), thread("b", 2, 3), thread("c", 3)];
  const same = thread("b", 2, 3);
  const threads = [thread("a", 1, 2), same, thread("c", 3, 2, { deletedAt: 9 })];
  const taken = takeThreads(known, { whole: false, threads });
  expect(taken).toEqual([known[0], same]);
  expect(taken[1]).toBe(same);
});
