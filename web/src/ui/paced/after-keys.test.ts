import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { afterKeys, noteKeys } from "./after-keys.ts";

const page = new EventTarget();
noteKeys(page);

let frames: (() => void)[] = [];

beforeEach(() => {
  frames = [];
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  vi.advanceTimersByTime(60_000);
  vi.stubGlobal("requestAnimationFrame", (frame: () => void) => frames.push(frame));
});
afterEach(async () => {
  await draw();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function press(key: string): void {
  page.dispatchEvent(Object.assign(new Event("keydown"), { key }));
}

/** Draws the frames that were asked for, and lets the messages behind them arrive. */
async function draw(): Promise<void> {
  for (const frame of frames.splice(0)) frame();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

/** Asks for work; returns how often it was done. */
function ask(): { readonly done: () => number; readonly cancel: (() => void) | null } {
  let count = 0;
  const cancel = afterKeys(() => (count += 1), 250);
  return { done: () => count, cancel };
}

test("nobody types: work is done at once", () => {
  expect(ask().done()).toBe(1);
  press("x");
  const waits = ask();
  expect(waits.done()).toBe(0);
  waits.cancel?.();
});

test("work waits for the frame that shows the key, and is done once", async () => {
  press("x");
  const waits = ask();
  expect(waits.done()).toBe(0);
  await draw();
  expect(waits.done()).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(waits.done()).toBe(1);
});

test("right after a key's frame work is done at once, and later it waits for the next key's", async () => {
  press("x");
  await draw();
  expect(ask().done()).toBe(1);
  await vi.advanceTimersByTimeAsync(60);
  const waits = ask();
  expect(waits.done()).toBe(0);
  press("y");
  expect(waits.done()).toBe(0);
  await draw();
  expect(waits.done()).toBe(1);
});

test("work waits no longer than it may, also where no frame is drawn", async () => {
  press("x");
  const waits = ask();
  await vi.advanceTimersByTimeAsync(249);
  expect(waits.done()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(waits.done()).toBe(1);
  await draw();
  expect(waits.done()).toBe(1);
});

test.each(["Enter", "Escape", "Tab"])(
  "after %s, whose answer is awaited, work waits for its frame alone",
  async (key) => {
    press("x");
    await draw();
    press(key);
    await draw();
    await vi.advanceTimersByTimeAsync(60);
    expect(ask().done()).toBe(1);
  },
);

test("cancelled work is not done", async () => {
  press("x");
  const waits = ask();
  waits.cancel?.();
  await draw();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(waits.done()).toBe(0);
});
