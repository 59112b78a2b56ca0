import { describe, expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import { textOf } from "../document/world.test-support.ts";
import { openToolWorld, TestAgent, type ToolWorld } from "./agent.test-support.ts";

async function fileWith(content: string): Promise<[ToolWorld, TestAgent, BlockId]> {
  const world = await openToolWorld();
  const agent = new TestAgent(world, null);
  const { block_id: id } = await agent.must("block_create", { kind: "file", role: "user", content });
  return [world, agent, id as BlockId];
}

describe("14.6 lines of the block tools as models count them", () => {
  test("14.6 block_read counts lines from 1 and includes the last line of a range", async () => {
    const [, agent, id] = await fileWith("a\nb\nc\n");
    const read = (more: object) => agent.must("block_read", { block_id: id, ...more });
    expect(await read({})).toMatchObject({ content: "1→a\n2→b\n3→c", line_count: 3 });
    expect(await read({ start_line: 2, end_line: 2 })).toMatchObject({ content: "2→b" });
    expect(await read({ start_line: 2 })).toMatchObject({ content: "2→b\n3→c" });
    expect(await read({ end_line: 99 })).toMatchObject({ content: "1→a\n2→b\n3→c" });
    expect((await read({ anchors: true, end_line: 1 }))["content"]).toMatch(/^1:[0-9a-f]{4}→a$/);
    expect(await agent.code("block_read", { block_id: id, start_line: 3, end_line: 2 })).toBe("INVALID_PARAMS");
    const beyond = await agent.call("block_read", { block_id: id, start_line: 4 });
    expect(beyond).toMatchObject({ code: "LINE_OUT_OF_RANGE", content: { details: { requested: 4, max: 3 } } });
  });

  test("14.6 the first line of an empty block can be read", async () => {
    const [, agent, id] = await fileWith("");
    expect(await agent.must("block_read", { block_id: id, start_line: 1, end_line: 5 })).toMatchObject({ content: "" });
  });

  test("14.6 block_search and kernel_search count lines from 1", async () => {
    const [, agent, id] = await fileWith("a\nneedle\nc\n");
    expect(await agent.must("block_search", { block_id: id, query: "needle" })).toMatchObject({
      matches: [{ line: 2, content_start: 1 }],
    });
    expect(await agent.must("kernel_search", { query: "needle" })).toMatchObject({
      blocks: [{ block_id: id, matches: [{ line: 2 }] }],
    });
  });

  test.each<readonly [object, string]>([
    [{ op: "insert", line: 1, content: "x" }, "x\na\nb\nc\n"],
    [{ op: "insert", line: 4, content: "x" }, "a\nb\nc\nx\n"],
    [{ op: "delete", start_line: 2, end_line: 2 }, "a\nc\n"],
    [{ op: "replace", start_line: 1, end_line: 2, content: "x", expected_text: "a\nb" }, "x\nc\n"],
  ])("14.6 block_edit %j includes both ends", async (operation, after) => {
    const [world, agent, id] = await fileWith("a\nb\nc\n");
    await agent.must("block_edit", { block_id: id, operations: [{ ...operation }] });
    expect(await textOf(world, id)).toBe(after);
  });

  test("14.6 block_edit takes the anchors that block_read prints", async () => {
    const [world, agent, id] = await fileWith("a\nb\nc\n");
    const { content } = await agent.must("block_read", { block_id: id, anchors: true });
    const anchors = (content as string).split("\n").map((line) => line.split("→")[0] ?? "");
    const operations = [
      { op: "insert", anchor: anchors[0], content: "top" },
      { op: "replace", anchor: `${anchors[1]}..${anchors[2]}`, content: "B" },
    ];
    await agent.must("block_edit", { block_id: id, operations: operations as never });
    expect(await textOf(world, id)).toBe("top\na\nB\n");
  });

  test.each<readonly [object, string, object]>([
    [{ op: "insert", line: 5, content: "x" }, "LINE_OUT_OF_RANGE", { requested: 5, max: 4 }],
    [{ op: "delete", start_line: 2, end_line: 4 }, "LINE_OUT_OF_RANGE", { requested: 4, max: 3 }],
    [{ op: "delete", start_line: 3, end_line: 2 }, "INVALID_PARAMS", { start_line: 3, end_line: 2 }],
    [
      { op: "replace", start_line: 2, end_line: 3, content: "x", expected_text: "y" },
      "CONTENT_MISMATCH",
      { start_line: 2, end_line: 3, actual: "b\nc" },
    ],
  ])("14.6 a refusal of block_edit %j has the caller's numbers", async (operation, code, details) => {
    const [, agent, id] = await fileWith("a\nb\nc\n");
    const refused = await agent.call("block_edit", { block_id: id, operations: [{ ...operation }] });
    expect(refused).toMatchObject({ code, content: { details } });
  });

  test("14.6 overlapping operations are named in the caller's numbers", async () => {
    const [, agent, id] = await fileWith("a\nb\nc\n");
    const operations = [
      { op: "delete", start_line: 1, end_line: 2 },
      { op: "delete", start_line: 2, end_line: 3 },
    ];
    expect(await agent.call("block_edit", { block_id: id, operations })).toMatchObject({
      code: "OVERLAPPING_OPERATIONS",
      content: { details: { start_line: 2, end_line: 2 } },
    });
  });

  test("14.6 a dotted name is the founding design's tool: lines from 0, ends exclusive", async () => {
    const [world, agent, id] = await fileWith("a\nb\nc\n");
    expect(await agent.must("block.read", { block_id: id, range: { start: 1, end: 2 } })).toMatchObject({
      content: "1→b",
    });
    const operations = [{ op: "delete", start_line: 0, end_line: 1 }];
    await agent.must("block.edit", { block_id: id, operations });
    expect(await textOf(world, id)).toBe("b\nc\n");
  });
});
