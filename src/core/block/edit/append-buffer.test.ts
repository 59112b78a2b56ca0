import fc from "fast-check";
import { expect, test } from "vitest";
import { appendDelayMs, appendStep, emptyAppendBuffer, type AppendBuffer, type AppendEvent } from "./append-buffer.ts";

function run(events: readonly AppendEvent[]): { buffer: AppendBuffer; flushes: readonly string[] } {
  const flushes: string[] = [];
  let buffer = emptyAppendBuffer;
  for (const event of events) {
    const step = appendStep(buffer, event);
    buffer = step.buffer;
    if (step.flush !== "") flushes.push(step.flush);
  }
  return { buffer, flushes };
}

function appended(text: string, now = 0): AppendEvent {
  return { type: "appended", text, now };
}

test("B-17 text waits for a newline and is flushed with it immediately", () => {
  expect(run([appended("hello ")])).toEqual({ buffer: { text: "hello ", dueAt: 100 }, flushes: [] });
  expect(run([appended("hello "), appended("world\n")])).toEqual({
    buffer: emptyAppendBuffer,
    flushes: ["hello world\n"],
  });
});

test("B-18 fifty units wait, fifty-one do not", () => {
  expect(run([appended("x".repeat(50))]).flushes).toEqual([]);
  expect(run([appended("x".repeat(25)), appended("y".repeat(26))]).flushes).toEqual(["x".repeat(25) + "y".repeat(26)]);
});

test("B-18 a short piece is flushed by the timer, 100 ms after its first character", () => {
  const { buffer } = run([appended("x".repeat(30), 1_000), appended("x".repeat(10), 1_090)]);
  expect(buffer.dueAt).toBe(1_000 + appendDelayMs);
  expect(appendStep(buffer, { type: "timer-due", now: 1_100 })).toEqual({
    buffer: emptyAppendBuffer,
    flush: "x".repeat(40),
  });
});

test("a timer that is early, or for flushed text, does nothing", () => {
  expect(run([appended("a\n"), { type: "timer-due", now: 100 }]).flushes).toEqual(["a\n"]);
  expect(run([appended("a", 50), { type: "timer-due", now: 100 }])).toEqual({
    buffer: { text: "a", dueAt: 150 },
    flushes: [],
  });
});

test("B-19 B-20 a read or a status change flushes first", () => {
  expect(run([appended("a"), { type: "flush-requested", now: 1 }])).toEqual({
    buffer: emptyAppendBuffer,
    flushes: ["a"],
  });
  expect(run([{ type: "flush-requested", now: 1 }]).flushes).toEqual([]);
});

test("half a character waits for its other half, and is replaced when none arrives", () => {
  const [high, low] = ["\ud83d", "\ude00"];
  expect(run([appended(`a\n${high}`), appended(`${low}\n`)]).flushes).toEqual(["a\n", "😀\n"]);
  expect(run([appended(`a${high}`), { type: "finished" }]).flushes).toEqual(["a\ufffd"]);
});

test("all appended text is flushed once, in order, well formed, and on time", () => {
  const events = fc.array(
    fc.record({
      text: fc.string({ unit: fc.constantFrom("a", "\n", "\ud83d\ude00"), maxLength: 60 }),
      wait: fc.nat(150),
    }),
  );
  fc.assert(
    fc.property(events, (list) => {
      let buffer = emptyAppendBuffer;
      let now = 0;
      let out = "";
      for (const { text, wait } of list) {
        for (const part of text.split("")) {
          const step = appendStep(buffer, appended(part, now));
          ({ buffer } = step);
          expect(step.flush.isWellFormed()).toBe(true);
          out += step.flush;
        }
        now += wait;
        if (buffer.dueAt === null || buffer.dueAt > now) continue;
        const step = appendStep(buffer, { type: "timer-due", now });
        expect(step.flush).not.toBe("");
        out += step.flush;
        ({ buffer } = step);
      }
      out += appendStep(buffer, { type: "finished" }).flush;
      expect(out).toBe(list.map(({ text }) => text).join(""));
    }),
  );
});
