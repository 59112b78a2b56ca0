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

describe("14.5 exact text", () => {
  test.each([
    ["a", false, "none"],
    ["a\n", true, "lf"],
    ["a\r\nb\r\n", true, "crlf"],
    ["a\r\nb\n", true, "mixed"],
  ])(
    "14.5 block_read tells the final newline and line ends of %j, and raw gives the exact text",
    async (text, final, eol) => {
      const [, agent, id] = await fileWith(text);
      expect(await agent.must("block_read", { block_id: id, line_numbers: false })).toMatchObject({
        final_newline: final,
        eol,
      });
      expect(await agent.must("block_read", { block_id: id, raw: true })).toMatchObject({ content: text });
      expect(await agent.code("block_read", { block_id: id, raw: true, anchors: true })).toBe("INVALID_PARAMS");
    },
  );

  test("14.5 raw gives the exact lines of a range", async () => {
    const [, agent, id] = await fileWith("a\r\nb\r\nc");
    const read = (range: object) => agent.must("block_read", { block_id: id, raw: true, ...range });
    expect(await read({ start_line: 2, end_line: 2 })).toMatchObject({ content: "b\r\n" });
    expect(await read({ start_line: 2 })).toMatchObject({ content: "b\r\nc" });
    expect(await agent.must("block.read", { block_id: id, raw: true, range: { start: 0, end: 1 } })).toMatchObject({
      content: "a\r\n",
    });
  });

  test("14.5 a splice at an offset as read raw keeps CRLF text whole, and one inside a line end is refused", async () => {
    const [world, agent, id] = await fileWith("one\r\ntwo\r\nthree\r\n");
    const { content } = await agent.must("block_read", { block_id: id, raw: true });
    const offset = (content as string).indexOf("two");
    await agent.must("block_splice", { block_id: id, offset, delete_count: 3, insert: "TWO", expected_text: "two" });
    expect(await textOf(world, id)).toBe("one\r\nTWO\r\nthree\r\n");
    const refused = await agent.call("block_splice", { block_id: id, offset: 4, delete_count: 3, insert: "x" });
    expect(refused).toMatchObject({
      code: "OFFSET_OUT_OF_RANGE",
      content: { message: expect.stringContaining("raw") },
    });
    // An offset counted on lines without their carriage returns.
    const wrong = { block_id: id, offset: 8, delete_count: 5, insert: "x", expected_text: "three" };
    expect(await agent.code("block_splice", wrong)).toBe("CONTENT_MISMATCH");
    expect(await textOf(world, id)).toBe("one\r\nTWO\r\nthree\r\n");
  });

  test.each([
    ["a", "a\nb"],
    ["a\n", "a\nb"],
    ["a\r\nb", "a\r\nb\r\nb"],
    ["", "b"],
  ])("14.5 block_append with new_line begins a line of its own after %j", async (text, after) => {
    const [world, agent, id] = await fileWith(text);
    await agent.must("block_append", { block_id: id, text: "b", new_line: true });
    expect(await textOf(world, id)).toBe(after);
  });

  test("14.5 block_append adds its text exactly as given otherwise", async () => {
    const [world, agent, id] = await fileWith("a");
    await agent.must("block_append", { block_id: id, text: "b" });
    expect(await textOf(world, id)).toBe("ab");
  });
});

describe("14.10 block_append in batches", () => {
  async function openText(): Promise<[ToolWorld, TestAgent, BlockId]> {
    const world = await openToolWorld();
    const agent = new TestAgent(world, null);
    const { block_id: id } = await agent.must("block_create", { kind: "text", role: "assistant" });
    await agent.must("block_read", { block_id: id as string });
    return [world, agent, id as BlockId];
  }

  test("14.10 ten small appends are one version and one undo unit", async () => {
    const [world, agent, id] = await openText();
    const versions: unknown[] = [];
    for (let piece = 0; piece < 10; piece += 1) {
      versions.push((await agent.must("block_append", { block_id: id, text: `${piece} ` }))["version"]);
    }
    expect(versions).toEqual(Array.from({ length: 10 }, () => 2));
    expect(await agent.must("block_read", { block_id: id, raw: true })).toMatchObject({
      content: "0 1 2 3 4 5 6 7 8 9 ",
      version: 2,
      status: "running",
    });
    await agent.must("block_undo", { block_id: id });
    expect(await textOf(world, id)).toBe("");
  });

  test("B-17, B-18 14.10 a newline or more than 50 characters write at once, a pause of 100 ms too", async () => {
    const [world, agent, id] = await openText();
    const version = async () => (await world.store.block(id))?.version;
    await agent.must("block_append", { block_id: id, text: "hello " });
    expect(await version()).toBe(1);
    await agent.must("block_append", { block_id: id, text: "world\n" });
    expect(await version()).toBe(2);
    await agent.must("block_append", { block_id: id, text: "x".repeat(51) });
    expect(await version()).toBe(3);
    await agent.must("block_append", { block_id: id, text: "tail" });
    await world.clock.advance(100);
    expect(await textOf(world, id)).toBe(`hello world\n${"x".repeat(51)}tail`);
    expect(await version()).toBe(4);
  });

  test("14.10 appends of two agents stay apart, and a done block refuses text", async () => {
    const [world, agent, id] = await openText();
    await agent.must("block_append", { block_id: id, text: "a" });
    const second = new TestAgent(world, null, "run", "second-turn");
    await second.must("block_append", { block_id: id, text: "b" });
    await agent.must("block_status", { block_id: id, status: "done" });
    expect(await agent.code("block_append", { block_id: id, text: "c" })).toBe("STATUS_CONFLICT");
    expect(await textOf(world, id)).toBe("ab");
  });
});
