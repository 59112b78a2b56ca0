import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Inboxes, type Inbox } from "./inbox.ts";

interface Handled {
  readonly by: string;
  readonly message: number;
}

function opened(): { readonly handled: Handled[]; readonly open: (by: string) => Inbox<unknown> } {
  const inboxes = new Inboxes();
  const handled: Handled[] = [];
  return {
    handled,
    open: (by) => inboxes.open({ handle: (message) => void handled.push({ by, message: Number(message) }) }),
  };
}

test("19.4 a message of one client is handled at once while thousands of another's wait, and each keeps its order", async () => {
  const { handled, open } = opened();
  const [many, few] = [open("many"), open("few")];
  for (let message = 0; message < 2_000; message += 1) many.take(message);
  expect(handled.length).toBeLessThanOrEqual(8);
  for (let message = 0; message < 20; message += 1) {
    await setImmediate();
    const before = handled.length;
    few.take(message);
    expect(handled.slice(before)).toEqual([{ by: "few", message }]);
  }
  // The many go on in every iteration of the event loop.
  expect(handled.length).toBeGreaterThan(20 * 32);
  for (let iteration = 0; iteration < 40; iteration += 1) await setImmediate();
  for (const [by, count] of [
    ["many", 2_000],
    ["few", 20],
  ] as const) {
    const order = handled.filter((each) => each.by === by).map(({ message }) => message);
    expect(order).toEqual(Array.from({ length: count }, (_, at) => at));
  }
});

test("19.4 twenty clients that send a thousand messages each cost an iteration of the event loop no more than one does", async () => {
  const { handled, open } = opened();
  const inboxes = Array.from({ length: 20 }, (_, at) => open(`${at}`));
  for (const inbox of inboxes) for (let message = 0; message < 1_000; message += 1) inbox.take(message);
  await setImmediate();
  for (let last = handled.length; handled.length < 20_000; last = handled.length) {
    await setImmediate();
    expect(handled.length - last).toBeLessThanOrEqual(64);
    expect(handled.length).toBeGreaterThan(last);
  }
  expect(new Set(handled.slice(200, 400).map(({ by }) => by)).size).toBe(20);
});

test("19.4 what clients sent right before they left is handled in turns, and before it counts that they left", async () => {
  const { handled, open } = opened();
  const gone: string[] = [];
  for (const by of ["one", "other"]) {
    const inbox = open(by);
    for (let message = 0; message < 500; message += 1) inbox.take(message);
    inbox.end(() => {
      expect(handled.filter((each) => each.by === by).map(({ message }) => message)).toEqual(
        Array.from({ length: 500 }, (_, at) => at),
      );
      gone.push(by);
    });
  }
  open("nothing waits").end(() => gone.push("nothing waits"));
  expect(gone).toEqual(["nothing waits"]);
  for (let last = handled.length; gone.length < 3; last = handled.length) {
    await setImmediate();
    expect(handled.length - last).toBeLessThanOrEqual(64);
  }
  expect(handled).toHaveLength(1_000);
});
