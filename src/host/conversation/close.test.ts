import { expect, test } from "vitest";
import { StoreAwayError } from "../../adapters/storage/shared/store-error.ts";
import { noUsage } from "../../core/message/usage.ts";
import { calls, says, World } from "./queue/conversation.test-support.ts";

test("close closes the other conversations when one cannot be read", async () => {
  const world = await World.start({ script: () => calls("slow") });
  const other = await world.newRoot();
  const rootId = await world.newRoot();
  await world.send(rootId, null, "hi");
  await world.clock.advance(100);
  expect(world.tools.log).toEqual(["ran call-slow"]);
  world.onRead = (query) => {
    if (query === "root") throw new StoreAwayError("the database is away");
  };
  const view = world.conversations.view(other).catch((problem: unknown) => String(problem));
  await world.conversations.close();
  expect(await view).toContain("away");
  expect(world.tools.aborted).toEqual(["call-slow"]);
});

test.each([1, 2, 3])("no sub-agent starts once the server stops, whichever commit it stops at: %i", async (at) => {
  const tasks = JSON.stringify({ tasks: [{ task: "look" }] });
  const world = await World.start({
    script: (_request, turn) =>
      turn > 0
        ? says("I looked.")
        : [
            { type: "tool-call-start", index: 0, id: "call", name: "spawn_sub_agents" },
            { type: "tool-call-delta", index: 0, text: tasks },
            { type: "tool-call-end", index: 0 },
            { type: "finished", reason: "tool-use", usage: noUsage },
          ],
  });
  const rootId = await world.newRoot();
  const closing: Promise<void>[] = [];
  let commits = 0;
  world.onCommit = (writes) => {
    const ofAgent = writes.some((write) => write.type === "put-root" && write.root.parent !== undefined);
    if (ofAgent || commits > 0) commits += 1;
    if (commits === at) closing.push(world.conversations.close());
    return null;
  };
  await world.send(rootId, null, "hi");
  await world.clock.advance(10_000);
  expect(closing).toHaveLength(1);
  await closing[0];
  expect(world.requests).toHaveLength(1);
  expect(commits).toBe(at);
});
