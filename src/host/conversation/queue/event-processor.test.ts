import { expect, test } from "vitest";
import { calls, says, World } from "./conversation.test-support.ts";

test("a call that has ended is not stopped by what comes after it", async () => {
  const world = await World.start({
    script: (_request, turn) => (turn === 0 ? calls("slow", "slow-too") : says("Done.")),
  });
  const { runId } = await world.send(await world.newRoot(), null, "Look.");
  await world.rest();
  expect(await world.runState(runId)).toBe("idle");
  expect([world.tools.log.length, world.tools.aborted]).toEqual([2, []]);
});
