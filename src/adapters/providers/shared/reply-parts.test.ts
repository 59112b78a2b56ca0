import { expect, test } from "vitest";
import { infoOf, realDeps } from "../../../../test/providers/test-deps.ts";
import { requestOf } from "../../../../test/providers/wires.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { anthropicCodec } from "../anthropic/codec.ts";
import { plainAnthropicCompat } from "../anthropic/compat.ts";
import { ReplyBounds } from "./bounded-reply.ts";
import { createHttpModel } from "./http-model.ts";
import { type Batch, type BatchSource, ReplyParts } from "./reply-parts.ts";

const piece = (text: string): StreamPart => ({ type: "text-delta", index: 0, text });

/** A source whose pieces the test gives by hand. */
function byHand(): {
  readonly source: BatchSource;
  readonly give: (batch: Batch | null | Error) => void;
  readonly closings: () => number;
} {
  let closings = 0;
  let settle: (batch: Batch | null | Error) => void = () => undefined;
  let given: Batch | null = null;
  const source: BatchSource = {
    wait: () =>
      new Promise((resolve, reject) => {
        settle = (batch) => {
          if (batch instanceof Error) return reject(batch);
          given = batch;
          resolve({ done: true, value: undefined });
        };
      }),
    take: () => given,
    broken(problem) {
      throw problem;
    },
    close: () => void (closings += 1),
  };
  return { source, give: (batch) => settle(batch), closings: () => closings };
}

function partsOf(source: BatchSource, signal = new AbortController().signal): ReplyParts {
  return new ReplyParts(source, infoOf("a/b"), new ReplyBounds(undefined), signal);
}

const tick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test("the parts of a piece come one by one, and pieces without parts are passed over", async () => {
  const { source, give, closings } = byHand();
  const parts = partsOf(source);
  const first = parts.next();
  give([]);
  await tick();
  give([piece("a"), piece("b")]);
  expect(await first).toEqual({ done: false, value: piece("a") });
  expect(await parts.next()).toEqual({ done: false, value: piece("b") });
  const last = parts.next();
  give(null);
  expect(await last).toEqual({ done: true, value: undefined });
  expect(await parts.next()).toEqual({ done: true, value: undefined });
  expect(closings()).toBe(1);
});

test("two who ask at once get the parts in order", async () => {
  const { source, give } = byHand();
  const parts = partsOf(source);
  const both = Promise.all([parts.next(), parts.next(), parts.next()]);
  give([piece("a"), piece("b")]);
  await tick();
  give(null);
  expect((await both).map(({ value }) => value)).toEqual([piece("a"), piece("b"), undefined]);
});

test("a reader who leaves while a piece is awaited gets nothing more, and the source is closed once", async () => {
  const { source, give, closings } = byHand();
  const parts = partsOf(source);
  const waiting = parts.next();
  expect(await parts.return()).toEqual({ done: true, value: undefined });
  give([piece("late")]);
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(await parts.next()).toEqual({ done: true, value: undefined });
  expect(closings()).toBe(1);
});

test("after an abort the parts that have arrived are replaced by one failure", async () => {
  const { source, give, closings } = byHand();
  const caller = new AbortController();
  const parts = partsOf(source, caller.signal);
  const first = parts.next();
  give([piece("a"), piece("b"), piece("c")]);
  expect(await first).toEqual({ done: false, value: piece("a") });
  caller.abort();
  expect(await parts.next()).toMatchObject({ value: { type: "failed", failure: { class: "cancelled" } } });
  expect(await parts.next()).toEqual({ done: true, value: undefined });
  expect(closings()).toBe(1);
});

test("a source that breaks is closed, and the next question finds the end", async () => {
  const { source, give, closings } = byHand();
  const parts = partsOf(source);
  const first = parts.next();
  give(new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  expect(await parts.next()).toEqual({ done: true, value: undefined });
  expect(closings()).toBe(1);
});

test("an answer that arrives after its reader has left is left too", async () => {
  let answer: (response: Response) => void = () => undefined;
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>({ cancel: () => void (isLeft = true) });
  const model = createHttpModel(
    { info: infoOf("a/b"), baseUrl: "http://127.0.0.1", codec: anthropicCodec(plainAnthropicCompat), streamed: true },
    {
      ...realDeps,
      // A fetch that does not hear the abort.
      fetch: () => new Promise((resolve) => void (answer = resolve)),
    },
  );
  const asked = requestOf([{ role: "user", content: [{ type: "text", text: "hello" }] }]);
  const parts = model.stream(asked, new AbortController().signal)[Symbol.asyncIterator]();
  const waiting = parts.next();
  await tick();
  await parts.return?.();
  answer(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(isLeft).toBe(true);
});
