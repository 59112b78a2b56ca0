import { expect, test } from "vitest";
import { JoinQueue } from "./join-queue.ts";

function turns() {
  const reader = { read: true, asked: 0, ended: 0 };
  const begun: number[] = [];
  const joins = new JoinQueue({
    hasRead: () => reader.read,
    joinWaits: () => void (reader.asked += 1),
    joinsEnded: () => void (reader.ended += 1),
  });
  const join = (number: number, outcome: Promise<void> = Promise.resolve()): Promise<void> =>
    joins.take(() => {
      begun.push(number);
      reader.read = false;
      return outcome;
    });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { reader, begun, joins, join, settle };
}

test("a join waits until the reader has consumed the previous snapshot", async () => {
  const { reader, begun, joins, join, settle } = turns();
  const all = [join(1), join(2), join(3)];
  await settle();
  expect(begun).toEqual([1]);
  expect(reader.asked).toBe(1);
  joins.check();
  await settle();
  expect([begun, reader.asked]).toEqual([[1], 2]);
  for (const now of [2, 3]) {
    reader.read = true;
    joins.check();
    await settle();
    expect(begun.at(-1)).toBe(now);
    expect(reader.ended).toBe(now === 3 ? 1 : 0);
  }
  await Promise.all(all);
});

test("a failing join rejects only for its own caller, and the next join runs", async () => {
  const { reader, begun, joins, join, settle } = turns();
  const failed = join(1, Promise.reject(new Error("broken")));
  const next = join(2);
  await expect(failed).rejects.toThrow("broken");
  reader.read = true;
  joins.check();
  await settle();
  await next;
  expect(begun).toEqual([1, 2]);
});
