import { expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { openToolWorld, TestAgent } from "./agent.test-support.ts";
import { textPartsOf } from "./block-sync.ts";
import type { BlockToolRun } from "./runnable.ts";

test("a copy that misses only appended text and changes of the header gets what was appended; any other the whole text", async () => {
  const world = await openToolWorld();
  const agent = new TestAgent(world, null);
  const { block_id: id } = await agent.must("block_create", { kind: "text", role: "assistant", content: "one" });
  const missing = async (has: number) => {
    const found = accept(await world.hub.reader.catchUp(id as BlockId, has));
    const [part] = await textPartsOf(found, has, { ports: world } as unknown as BlockToolRun);
    return { appended: part?.["appended"], text: part?.["text"] };
  };
  const { version: first } = await agent.must("block_append", { block_id: id ?? null, text: " two" });
  await agent.must("block_update", { block_id: id ?? null, collapsed: true });
  expect(await missing(1)).toEqual({ appended: " two" });
  expect(await missing(Number(first))).toEqual({ appended: "" });
  expect(await missing(0)).toEqual({ text: "one two" });
  const above = [{ op: "insert", line: 0, content: "three" }];
  await agent.must("block.edit", { block_id: id ?? null, operations: above });
  expect(await missing(1)).toEqual({ text: "three\none two" });
});
