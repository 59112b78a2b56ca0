import { expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import { BusyTurns } from "../record/busy-turns.ts";
import { documentOfBlock } from "../record/document-of.ts";
import { hubLimits } from "../record/limits.ts";
import { authorOf, createBlock, insertion, openWorld, person } from "../world.test-support.ts";
import { Lane } from "./lane.ts";
import { SharedTicks } from "./shared-ticks.ts";

test("a change that is prepared by a defect, and half made in memory, is not there for the next reader", async () => {
  const world = await openWorld();
  const { id } = await createBlock(world, { text: "warp" });
  const author = await authorOf(world, person("ada"));
  const { clock, logger } = world.platform;
  const lane = new Lane(
    documentOfBlock(id),
    {
      store: world.store,
      clock,
      logger,
      ownerOf: async (replica) => replica,
      retention: hubLimits.retention,
      turns: new BusyTurns(),
      ticks: new SharedTicks(clock, 100),
      onThreads: () => {},
      onSpent: () => {},
      onCommitted: () => {},
    },
    () => {},
  );
  const prepared = lane.alone(() =>
    lane.prepareNow({
      blockId: id,
      author,
      plan: (block) => {
        block.edit({ ...author, serverReplica: author.replica }, [insertion(0, "half of ")]);
        throw new Error("a defect");
      },
    }),
  );
  await expect(prepared).rejects.toThrow("a defect");
  const block = await lane.alone(() => lane.settled(id));
  expect(must(block, "it is there").document.text()).toBe("warp");
  await lane.close();
});
