import { setTimeout as delay } from "node:timers/promises";
import type { TextReplica } from "../../src/client/base/types.ts";

/** When each of somebody's edits was made and acknowledged, and when each reader saw it. */
export interface Timings {
  /** Milliseconds from the edit to its acknowledgement. */
  readonly commitMs: readonly number[];
  /** The same to each reader, in the order of the readers. */
  readonly seenMs: readonly (readonly number[])[];
}

/** Types a letter at a time at a steady pace, and times it. The text must be empty. */
export async function typed(
  writer: TextReplica,
  readers: readonly TextReplica[],
  { edits, everyMs }: { readonly edits: number; readonly everyMs: number },
): Promise<Timings> {
  const from = writer.length;
  const madeAt: number[] = [];
  const commitMs: number[] = [];
  const seenMs = readers.map((): number[] => []);
  const note = (times: number[], upTo: number): void => {
    for (let at = times.length; at < upTo; at += 1) times.push(performance.now() - (madeAt[at] ?? 0));
  };
  const stops = [
    writer.unconfirmed.subscribe(() => note(commitMs, madeAt.length - writer.unconfirmed.get())),
    ...readers.map((reader, index) => reader.onChange(() => note(seenMs[index] ?? [], reader.length - from))),
  ];
  const start = performance.now();
  for (let index = 0; index < edits; index += 1) {
    await delay(Math.max(0, start + index * everyMs - performance.now()));
    madeAt.push(performance.now());
    writer.edit([{ from: writer.length, to: writer.length, insert: "x" }]);
  }
  const isDone = (): boolean => commitMs.length >= edits && seenMs.every((times) => times.length >= edits);
  for (const deadline = performance.now() + 20_000; !isDone(); await delay(5)) {
    if (performance.now() > deadline) throw new Error("an edit did not arrive within 20 s");
  }
  for (const stop of stops) stop();
  return { commitMs, seenMs };
}

/** Lets each writer make its next edit when the last one is acknowledged, and returns how many were. */
export async function hurried(writers: readonly TextReplica[], durationMs: number): Promise<number> {
  let acknowledged = 0;
  let goes = true;
  const stops = writers.map((writer) => {
    const next = (): void => writer.edit([{ from: writer.length, to: writer.length, insert: "x" }]);
    const stop = writer.unconfirmed.subscribe(() => {
      if (!goes || writer.unconfirmed.get() > 0) return;
      acknowledged += 1;
      queueMicrotask(next);
    });
    next();
    return stop;
  });
  await delay(durationMs);
  goes = false;
  const count = acknowledged;
  for (const deadline = performance.now() + 10_000; writers.some(({ unconfirmed }) => unconfirmed.get() > 0);) {
    if (performance.now() > deadline) throw new Error("an edit was not acknowledged within 10 s");
    await delay(5);
  }
  for (const stop of stops) stop();
  return count;
}
