import { expect, test, vi } from "vitest";
import { calls, says, World } from "../queue/conversation.test-support.ts";

test("the live block of a call's result is from its end on a part of the message that holds the result", async () => {
  const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls("slow") : says("Done.")) });
  const finished = vi.spyOn(world.journal, "finish");
  const rootId = await world.newRoot();
  await world.send(rootId, null, "Look.");
  await world.rest();
  const [live] = [...world.journal.shownById].find(([, { kind }]) => kind === "tool_result") ?? [];
  const result = (await world.store.nodes(rootId)).find(({ message }) => message.role === "tool");
  expect(finished.mock.calls.filter(([id]) => id === live)).toEqual([[live, "done", { nodeId: result?.id, block: 0 }]]);
});
