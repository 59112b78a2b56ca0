import { expect, test } from "vitest";
import { SerialQueue } from "./serial-queue.ts";

test("jobs run one after another, in the order given, also after one that fails", async () => {
  const queue = new SerialQueue();
  const done: string[] = [];
  const job =
    (name: string, fails = false) =>
    async (): Promise<string> => {
      done.push(`${name} begins`);
      await Promise.resolve();
      done.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const results = await Promise.allSettled([queue.run(job("a")), queue.run(job("b", true)), queue.run(job("c"))]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(done).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("a queue is empty before its first job and after its last, whether that failed or not", async () => {
  const queue = new SerialQueue();
  const empty = [queue.isEmpty];
  const running = queue.run(async () => {});
  empty.push(queue.isEmpty);
  await running;
  await queue.drained();
  empty.push(queue.isEmpty);
  await queue.run(() => Promise.reject(new Error("no"))).catch(() => {});
  await queue.drained();
  empty.push(queue.isEmpty);
  expect(empty).toEqual([true, false, true, true]);
});
