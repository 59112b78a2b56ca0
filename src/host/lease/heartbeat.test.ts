import { describe, expect, test } from "vitest";
import type { ToolCallId } from "../../core/base/ids.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import type { LanguageModel } from "../../core/port/language-model.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { Studio } from "../canvas/canvas.test-support.ts";

describe("C-05 a lease", () => {
  test.each([
    ["stays alive through each piece of a reply that streams for half a minute", 10_000, "ok"],
    ["14.7 outlives a request that is silent for 15.3 seconds", 15_300, "ok"],
    ["14.7 expires under a reply of words alone that goes on for two minutes", 30_000, "error"],
  ])("%s", async (_name, waitMs, expected) => {
    const clock = simulatedClock();
    const call = (index: number, name: string, parameters: object): readonly StreamPart[] => [
      { type: "tool-call-start", index, id: `call_${name}` as ToolCallId, name },
      { type: "tool-call-delta", index, text: JSON.stringify(parameters) },
      { type: "tool-call-end", index },
      { type: "finished", reason: "tool-use", usage: noUsage },
    ];
    const text = (words: string): StreamPart => ({ type: "text-delta", index: 0, text: words });
    let asked = 0;
    const model: LanguageModel = {
      info: {
        id: "test/slow",
        name: "Slow",
        contextTokensMax: 100_000,
        outputTokensMax: 1_000,
        tools: true,
        thinking: false,
        local: true,
      },
      api: "test",
      async *stream({ messages }) {
        asked += 1;
        if (asked === 1) {
          yield* call(0, "canvas_check_out", {});
          return;
        }
        yield { type: "text-start", index: 0 };
        if (asked === 2) {
          for (const words of ["I ", "look ", "at ", "it."]) {
            await clock.advance(waitMs);
            yield text(words);
          }
          const last = messages.findLast((message) => message.role === "tool");
          const leaseId = last?.role === "tool" ? last.lease_id : undefined;
          yield { type: "text-end", index: 0 };
          yield* call(1, "canvas_read_all", { lease_id: leaseId });
          return;
        }
        yield text("Done.");
        yield { type: "text-end", index: 0 };
        yield { type: "finished", reason: "end-turn", usage: noUsage };
      },
    };
    const catalogue = { list: () => [model.info], find: () => model };
    const studio = await Studio.open("one\n", { clock, catalogue });
    try {
      await studio.ask("read it slowly");
      expect(await studio.told()).toContain(`canvas_read_all: ${expected}`);
    } finally {
      await studio.close();
    }
  });
});
