import { expect, test } from "vitest";
import type { RunId } from "../../core/base/ids.ts";
import { commandsAtOnce, CommandSlots } from "./command-slots.ts";

const run = "run" as RunId;
const { signal } = new AbortController();

async function full(): Promise<CommandSlots> {
  const slots = new CommandSlots();
  for (let index = 0; index < commandsAtOnce; index += 1) expect(await slots.take(run, signal)).toBe(true);
  return slots;
}

/** Notes what a command gets, once it gets it. */
function waiting(slots: CommandSlots, stop = signal): { answer: boolean | null } {
  const seen: { answer: boolean | null } = { answer: null };
  void slots.take(run, stop).then((got) => (seen.answer = got));
  return seen;
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("commands of a run wait for a slot in the order of their arrival; other runs have their own", async () => {
  const slots = await full();
  const [first, second] = [waiting(slots), waiting(slots)];
  expect(await slots.take("other" as RunId, signal)).toBe(true);
  await settled();
  expect([first.answer, second.answer]).toEqual([null, null]);
  slots.giveBack(run);
  await settled();
  expect([first.answer, second.answer]).toEqual([true, null]);
  slots.giveBack(run);
  await settled();
  expect(second.answer).toBe(true);
});

test("a command that is stopped while it waits gets none, and takes none from the next", async () => {
  const slots = await full();
  const stop = new AbortController();
  const [stopped, next] = [waiting(slots, stop.signal), waiting(slots)];
  stop.abort();
  await settled();
  expect([stopped.answer, next.answer]).toEqual([false, null]);
  slots.giveBack(run);
  await settled();
  expect(next.answer).toBe(true);
  expect(await slots.take(run, stop.signal)).toBe(false);
});

test("a slot that is given back is free again", async () => {
  const slots = await full();
  slots.giveBack(run);
  expect(await slots.take(run, signal)).toBe(true);
  const next = waiting(slots);
  await settled();
  expect(next.answer).toBeNull();
  slots.giveBack("nobody" as RunId);
});
