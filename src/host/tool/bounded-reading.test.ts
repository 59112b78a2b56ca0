import { expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import type { KeptTexts } from "../../core/port/searcher.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { boundedReading } from "./bounded-reading.ts";
import type { BlockToolRun } from "./runnable.ts";

test("after twenty seconds no text is read any more, by the search's thread neither, and the answer says how many", async () => {
  const clock = simulatedClock();
  const whole: KeptTexts = {
    of: [
      { id: "a", version: 1 },
      { id: "b", version: 1 },
    ],
    stored: {
      module: { url: "file:///store.js", data: {} },
      unitsBelow: 10,
      blockAt: () => "block" as BlockId,
    },
    load: async () => ({ version: 1, text: "one" }),
  };
  const run = { ports: { platform: { clock } }, signal: new AbortController().signal } as unknown as BlockToolRun;
  const reading = boundedReading(whole, run);
  await clock.advance(19_999);
  expect([reading.texts.stored?.blockAt(0), await reading.texts.load(0)]).toEqual([
    "block",
    { version: 1, text: "one" },
  ]);
  expect(reading.note()).toBeUndefined();
  await clock.advance(1);
  expect([reading.texts.stored?.blockAt(1), await reading.texts.load(1)]).toEqual([null, null]);
  expect(reading.note()).toContain("1 files were not read in time");
});
