import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { ActorId, BlockId, RootId, RunId, TurnId } from "../../../core/base/ids.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { LanguageModel } from "../../../core/port/language-model.ts";
import { caret } from "../../../core/syntax/grammars/caret.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { calls, Journal, says } from "../queue/conversation.test-support.ts";
import { streamReply, type ReplyJob } from "./reply-stream.ts";

function modelOf(stream: LanguageModel["stream"]): LanguageModel {
  const info = {
    id: "test/model",
    name: "Model",
    contextTokensMax: 1_000,
    outputTokensMax: 100,
    tools: true,
    thinking: true,
    local: true,
  };
  return { info, api: "scripted", stream };
}

async function* of(...parts: readonly unknown[]): AsyncIterable<StreamPart> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part as StreamPart;
  }
}

function jobOf(model: LanguageModel, change: Partial<ReplyJob> = {}): ReplyJob & { readonly lost: string[] } {
  const lost: string[] = [];
  const runId = "run" as RunId;
  const turnId = "turn" as TurnId;
  return {
    model,
    request: { model: "model", system: "", messages: [], tools: [], maxTokens: 1, thinking: "off" },
    attempt: 2,
    signal: new AbortController().signal,
    clock: simulatedClock(5_000),
    blocks: new Journal(),
    seed: {
      rootId: "root" as RootId,
      actor: { type: "model", id: "m" as ActorId, name: "M", model: "test/model", runId, turnId },
      metadata: { run_id: runId, turn_id: turnId },
    },
    onActivity: () => {},
    onBlock: () => {},
    onBlockLost: (problem) => void lost.push(String(problem)),
    lost,
    ...change,
  };
}

describe("a streamed reply", () => {
  test("reports the whole message with the model that wrote it", async () => {
    expect((await streamReply(jobOf(modelOf(() => of(...says("hel", "lo")))))).event).toMatchObject({
      type: "response-finished",
      attempt: 2,
      message: {
        content: [{ type: "text", text: "hello" }],
        origin: { api: "scripted", provider: "test", model: "model" },
      },
    });
  });

  test.each<[string, readonly unknown[], object]>([
    ["that throws", [new Error("defect")], { class: "unknown", message: "defect", retryable: false }],
    ["that just ends", says("half").slice(0, 2), { class: "network", retryable: true }],
    ["that ends before it began", [], { class: "network", retryable: true }],
  ])("%s is a failure, and the shown part is kept", async (_name, parts, failure) => {
    const { event: received } = await streamReply(jobOf(modelOf(() => of(...parts))));
    expect(received).toMatchObject({ type: "response-failed", attempt: 2, failure, now: 5_000 });
    if (received.type !== "response-failed") return;
    const shown = parts.length === 2 ? [{ type: "text", text: "half" }] : null;
    expect(received.partial?.content ?? null).toEqual(shown);
  });

  test("of thinking or blanks alone is empty", async () => {
    const thinking = [
      { type: "thinking-start", index: 0 },
      { type: "thinking-delta", index: 0, text: "hm" },
      { type: "thinking-end", index: 0 },
    ];
    const { event: received } = await streamReply(jobOf(modelOf(() => of(...thinking, ...says(" \n").slice(-1)))));
    expect(received).toMatchObject({ type: "response-finished", message: null });
  });

  test("shows its parts as they arrive, calls by name and id, and says which block showed which", async () => {
    const blocks = new Journal();
    const opened: BlockId[] = [];
    let heard = 0;
    const job = jobOf(
      modelOf(() => of(...calls("look", "see"))),
      {
        blocks,
        onBlock: (id) => void opened.push(id),
        onActivity: () => {
          heard += 1;
        },
      },
    );
    const { record } = await streamReply(job);
    expect([...blocks.shownById.keys()]).toEqual(opened);
    expect(record?.shown).toEqual(opened.map((id, block) => ({ id, block })));
    expect(
      [...blocks.shownById.values()].map((block) => [block.kind, block.metadata["tool_name"], block.text]),
    ).toEqual([
      ["tool_call", "look", "{}"],
      ["tool_call", "see", "{}"],
    ]);
    expect(heard).toBe(calls("look", "see").length);
  });

  test("shows what a model says when it refuses", async () => {
    const blocks = new Journal();
    const parts = [
      { type: "refusal", index: 0, text: "Not " },
      { type: "refusal", index: 0, text: "that." },
    ];
    const model = modelOf(() => of(...parts, ...says().slice(-1)));
    const { record } = await streamReply(jobOf(model, { blocks }));
    expect([...blocks.shownById.values()]).toMatchObject([{ kind: "text", text: "Not that." }]);
    expect(record?.shown).toHaveLength(1);
  });

  test("survives the loss of its live blocks", async () => {
    const blocks = new Journal();
    blocks.open = () => Promise.reject(new Error("disk full"));
    const job = jobOf(
      modelOf(() => of(...says("hello"))),
      { blocks },
    );
    expect((await streamReply(job)).event).toMatchObject({ type: "response-finished" });
    expect(job.lost).toEqual(["Error: disk full"]);
  });

  test("T-26 that ends by policy is a success, and its request is aborted", async () => {
    const signals: AbortSignal[] = [];
    const call = "^^^look\n^^^\n";
    const parts = [
      ...says(call, call).slice(0, -2),
      { type: "text-delta", index: 0, text: "never read" },
      ...says("x"),
    ];
    const model = modelOf((_request, signal) => {
      signals.push(signal);
      return of(...parts);
    });
    const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];
    const calling = { syntax: caret, policy: "serial-one", tools, callIdPrefix: "tool-123" } as const;
    const { event, stop, unmetered } = await streamReply(jobOf(model, { calling }));
    expect([event.type, stop, unmetered, signals[0]?.aborted]).toEqual(["response-finished", "tool-use", true, true]);
    expect(event).toMatchObject({ message: { content: [{ type: "tool-use", id: "tool-123-1", name: "look" }] } });
    const whole = await streamReply(
      jobOf(
        modelOf((_request, signal) => {
          signals.push(signal);
          return of(...says(call));
        }),
        { calling },
      ),
    );
    expect([whole.unmetered, signals[1]?.aborted]).toEqual([undefined, false]);
  });

  test("of very many parts leaks nothing per part while it streams", async () => {
    setFlagsFromString("--expose_gc");
    const collect: unknown = runInNewContext("gc");
    const heap = (): number => {
      if (typeof collect === "function") collect();
      return process.memoryUsage().heapUsed;
    };
    const parts = 60_000;
    let grown = 0;
    const model = modelOf(async function* () {
      yield { type: "text-start", index: 0 };
      const before = heap();
      for (let part = 0; part < parts; part += 1) yield { type: "text-delta", index: 0, text: "" };
      grown = heap() - before;
      yield* says("x").slice(2);
    });
    await streamReply(jobOf(model));
    expect(grown / parts).toBeLessThan(50);
  });

  test("whose live blocks never open ends soon after its request was aborted", async () => {
    const blocks = new Journal();
    blocks.open = () => new Promise(() => {});
    const controller = new AbortController();
    const clock = simulatedClock();
    const reply = streamReply(
      jobOf(
        modelOf(() => of(...says("hello"))),
        { blocks, clock, signal: controller.signal },
      ),
    );
    await clock.settle();
    controller.abort();
    await clock.advance(100);
    const stuck = clock.settle().then(() => null);
    expect(await Promise.race([reply, stuck])).toMatchObject({ event: { type: "response-failed" } });
    expect(clock.timers).toBe(0);
  });

  test("whose request was aborted before it began ends as cancelled, whatever the stream does", async () => {
    const controller = new AbortController();
    controller.abort();
    const clock = simulatedClock();
    const never = modelOf(() => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }));
    const received = streamReply(jobOf(never, { signal: controller.signal, clock }));
    await clock.advance(100);
    expect((await received).event).toMatchObject({
      type: "response-failed",
      failure: { class: "cancelled" },
      partial: null,
    });
    expect(clock.timers).toBe(0);
  });
});
