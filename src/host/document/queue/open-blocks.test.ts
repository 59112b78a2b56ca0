import { expect, test } from "vitest";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { header } from "../../../testing/store/records.ts";
import type { OpenBlock } from "../block/open-block.ts";
import { OpenBlocks } from "./open-blocks.ts";

test("a block stays in memory for a time after it was used last", async () => {
  const clock = simulatedClock();
  const blocks = new OpenBlocks(clock);
  const [one, two] = ["1", "2"].map((name) => {
    const own = header(name, 1);
    return { id: own.id, header: own } as OpenBlock;
  }) as [OpenBlock, OpenBlock];
  await clock.advance(100);
  blocks.keep(one);
  blocks.keep(two);
  expect([...blocks.unusedSince(99)]).toEqual([]);
  await clock.advance(100);
  blocks.used(two);
  expect([...blocks.unusedSince(100)]).toEqual([one]);
  expect([...blocks.unusedSince(200)]).toEqual([one, two]);
});
