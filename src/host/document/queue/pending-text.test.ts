import { expect, test } from "vitest";
import type { Writer } from "../record/writer.ts";
import { PendingText } from "./pending-text.ts";

const writer = (replica: number, unit: string): Writer => ({ replica, unit: { id: unit } }) as unknown as Writer;
const [ada, adaLater, bob] = [writer(1, "a"), writer(1, "b"), writer(2, "c")];
const at = { now: 0, joins: false };

test("text of one unit is one segment; another unit or author begins the next", () => {
  const pending = new PendingText();
  expect([pending.isEmpty, pending.isDue, pending.author]).toEqual([true, false, undefined]);
  pending.add(ada, "one ", at);
  expect([pending.isEmpty, pending.isDue, pending.author]).toEqual([false, false, ada]);
  pending.add(ada, "two", at);
  pending.add(adaLater, "three", at);
  expect([pending.isEmpty, pending.isDue, pending.author]).toEqual([false, true, ada]);
  pending.add(bob, "four", at);
  expect(pending.take(0, false)).toEqual([
    { author: ada, text: "one two" },
    { author: adaLater, text: "three" },
    { author: bob, text: "four" },
  ]);
  expect([pending.isEmpty, pending.author]).toEqual([true, undefined]);
});

test("text that joins is part of the waiting unit of the same replica, and of no other", () => {
  const pending = new PendingText();
  pending.add(ada, "one ", at);
  pending.add(adaLater, "two ", { now: 0, joins: true });
  pending.add(bob, "three", { now: 0, joins: true });
  expect(pending.take(0, true)).toEqual([
    { author: ada, text: "one two " },
    { author: bob, text: "three" },
  ]);
});

test("half a character waits for its other half, unless the stream closes", () => {
  const pending = new PendingText();
  pending.add(ada, "x\ud83d", at);
  expect(pending.take(0, false)).toEqual([{ author: ada, text: "x" }]);
  expect(pending.isEmpty).toBe(false);
  pending.add(ada, "\ude00", at);
  expect(pending.take(0, false)).toEqual([{ author: ada, text: "😀" }]);
  pending.add(ada, "y\ud83d", at);
  expect(pending.take(0, true).map(({ text }) => text.slice(0, 1))).toEqual(["y"]);
  expect(pending.isEmpty).toBe(true);
});

test("what was not written comes before what arrived meanwhile", () => {
  const pending = new PendingText();
  pending.add(ada, "one", at);
  const taken = pending.take(0, false);
  pending.add(bob, "two", at);
  pending.putBack(taken);
  expect([pending.isDue, pending.author]).toEqual([true, ada]);
  expect(pending.take(0, false).map(({ text }) => text)).toEqual(["one", "two"]);
});

test("taking or clearing the text stops its timer", () => {
  let stopped = 0;
  const pending = new PendingText();
  for (const end of [() => pending.take(0, false), () => pending.clear()]) {
    pending.add(ada, "one", at);
    pending.add(bob, "two", at);
    pending.cancelTimer = () => void (stopped += 1);
    end();
    expect([pending.isEmpty, pending.isDue, pending.cancelTimer]).toEqual([true, false, null]);
  }
  expect(stopped).toBe(2);
});
