import { describe, expect, test } from "vitest";
import type { BlockId, DocumentId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { blockKinds } from "../../core/block/kinds.ts";
import { hubLimits } from "../document/record/limits.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { authorOf, createBlock, insertion, person, textOf } from "../document/world.test-support.ts";
import { openToolWorld, TestAgent, type ToolWorld } from "./agent.test-support.ts";

async function openBlock(text: string): Promise<[ToolWorld, TestAgent, string]> {
  const world = await openToolWorld();
  const agent = new TestAgent(world, null);
  return [world, agent, await created(agent, { kind: "file", role: "assistant", content: text })];
}

/** Creates a block with the tool; returns its id. */
async function created(agent: TestAgent, parameters: JsonObject): Promise<string> {
  const { block_id: id } = await agent.must("block_create", parameters);
  return typeof id === "string" ? id : expect.fail("a block has an id");
}

describe("reading", () => {
  test("block_read returns lines from 0 with numbers, anchors or neither, up to an exclusive end", async () => {
    const [, agent, id] = await openBlock("a\nb\nc");
    const read = (more: Record<string, never> | object) => agent.must("block.read", { block_id: id, ...more });
    expect(await read({})).toMatchObject({ content: "0→a\n1→b\n2→c", line_count: 3, version: 1, kind: "file" });
    expect(await read({ line_numbers: false, range: { start: 1, end: 2 } })).toMatchObject({ content: "b" });
    expect((await read({ anchors: true, range: { start: 0, end: 1 } }))["content"]).toMatch(/^0:[0-9a-f]{4}→a$/);
    expect(await agent.code("block.read", { block_id: "nothing/1/0" })).toBe("BLOCK_NOT_FOUND");
  });

  test("B-23, B-24 block_search returns each match with its place, and searches an invalid expression literally", async () => {
    const [, agent, id] = await openBlock("x\nfn a fn b\ny\na(b\n");
    const search = (query: string) => agent.must("block.search", { block_id: id, query, context_lines: 1 });
    const found = await search("fn \\w");
    expect(found["matches"]).toEqual([
      { line: 1, content: "x\nfn a fn b\ny", content_start: 0, match_start: 0, match_end: 4 },
      { line: 1, content: "x\nfn a fn b\ny", content_start: 0, match_start: 5, match_end: 9 },
    ]);
    expect(await search("nowhere")).toMatchObject({ matches: [], truncated: false });
    expect(await search("a(b")).toMatchObject({ matches: [{ line: 3 }], note: expect.any(String) });
  });

  test("B-21, B-22 block_list goes to the requested depth and applies all filters", async () => {
    const world = await openToolWorld();
    const agent = new TestAgent(world, null);
    const make = async (parent: string | null, status?: string): Promise<string> => {
      const parameters = { kind: "text", role: "assistant", content: `under ${parent}` };
      const id = await created(agent, parent === null ? parameters : { ...parameters, parent_id: parent });
      if (status !== undefined) await agent.must("block_status", { block_id: id, status });
      return id;
    };
    const root = await make(null);
    const child = await make(root, "done");
    const grandchild = await make(child);
    await createBlock(world, { document: "elsewhere" });
    const ids = async (parameters: object): Promise<unknown> => {
      const { blocks } = await agent.must("block_list", { ...parameters });
      return Array.isArray(blocks) ? blocks.map((block: { block_id: string }) => block.block_id) : blocks;
    };
    expect(await ids({})).toEqual([root]);
    expect(await ids({ parent_id: root })).toEqual([child]);
    expect(await ids({ parent_id: root, depth: 2 })).toEqual([child, grandchild]);
    expect(await ids({ depth: 3, status: "done" })).toEqual([child]);
    expect(await ids({ depth: 3, status: "done", kind: "thinking" })).toEqual([]);
    expect(await agent.code("block_list", { status: "finished" })).toBe("INVALID_PARAMS");
    expect(await agent.code("block_list", { parent_id: "elsewhere/1/0" })).toBe("BLOCK_NOT_FOUND");
    expect(await agent.code("block_create", { kind: "text", role: "user", parent_id: "no/1/1" })).toBe(
      "BLOCK_NOT_FOUND",
    );
  });

  test.each(blockKinds)(
    "14.10 a block of kind %s is created, listed and read with all that the founding design names",
    async (kind) => {
      const agent = new TestAgent(await openToolWorld(), null);
      const metadata = { path: "notes.md", language: "markdown", tool_name: "search" };
      const made = await agent.must("block_create", { kind, role: "model", content: "one\ntwo", metadata });
      expect(made).toMatchObject({ block_id: expect.stringMatching(/^[^/]+\/\d+\/\d+$/u), version: 1 });
      const header = { kind, role: "assistant", status: kind === "file" ? "done" : "running", version: 1 };
      const { blocks } = await agent.must("block_list", {});
      expect(blocks).toMatchObject([{ block_id: made["block_id"], ...header }]);
      const { block_id: id } = made;
      expect(await agent.must("block_read", { block_id: id ?? "" })).toMatchObject({
        ...header,
        line_count: 2,
        metadata,
      });
      if (kind !== "file") {
        expect(await agent.must("block_status", { block_id: id ?? "", status: "done" })).toMatchObject({ version: 2 });
      }
    },
  );

  test("B-22 block_list returns many blocks in pages, each continuing after the last", async () => {
    const agent = new TestAgent(await openToolWorld(), null);
    const ids: string[] = [];
    for (let index = 0; index < 405; index += 1) ids.push(await created(agent, { kind: "text", role: "user" }));
    const listed: unknown[] = [];
    const sizes: unknown[] = [];
    for (let after: JsonObject = {}; ;) {
      const answer = await agent.must("block_list", after);
      const blocks = answer["blocks"] as readonly JsonObject[];
      listed.push(...blocks.map(({ block_id: id }) => id));
      sizes.push([blocks.length, answer["truncated"], answer["count"]]);
      if (answer["truncated"] !== true) break;
      after = { after: listed.at(-1) as string };
    }
    expect(listed).toEqual(ids);
    expect(sizes).toEqual([
      [200, true, 405],
      [200, true, 405],
      [5, undefined, undefined],
    ]);
    expect(await agent.code("block_list", { after: "elsewhere/1/0" })).toBe("BLOCK_NOT_FOUND");
  });

  test("tools find files of any document, and blocks of their own conversation only", async () => {
    const [world, agent, file] = await openBlock("text");
    const own = await created(agent, { kind: "text", role: "user", content: "mine" });
    const other = new TestAgent(world, null, "other");
    const codes = async (who: TestAgent) =>
      Promise.all([own, file].map((id) => who.code("block_append", { block_id: id, text: "x" })));
    expect(await codes(agent)).toEqual(["ok", "ok"]);
    expect(await codes(other)).toEqual(["BLOCK_NOT_FOUND", "ok"]);
  });
});

describe("writing", () => {
  test("B-11, B-12 a batch with one invalid operation changes nothing and names it", async () => {
    const [world, agent, id] = await openBlock("a\nb\nc\n");
    const operations = [
      { op: "insert", line: 0, content: "top" },
      { op: "replace", start_line: 1, end_line: 2, content: "B", expected_text: "x" },
      { op: "delete", start_line: 2, end_line: 3 },
    ];
    const refused = await agent.call("block.edit", { block_id: id, operations });
    expect(refused.code).toBe("CONTENT_MISMATCH");
    expect(refused.content["details"]).toMatchObject({ op_index: 1, expected: "x", actual: "b" });
    expect(accept(await world.hub.reader.read(id as BlockId)).header.version).toBe(1);
  });

  test.each<readonly [code: string, text: string, content: string]>([
    ["TEXT_MALFORMED", "a\n", "\ud800"],
    ["BLOCK_TOO_LARGE", `${"x".repeat(hubLimits.textUnitsMax - 9)}\n`, "too long"],
  ])("B-11 a batch refused with %s names the operation", async (code, text, content) => {
    const [world, agent, id] = await openBlock(text);
    const operations = [
      { op: "insert", line: 0, content: "b" },
      { op: "insert", line: 1, content },
    ];
    const refused = await agent.call("block.edit", { block_id: id, operations });
    expect([refused.code, refused.content["details"]]).toMatchObject([code, { op_index: 1 }]);
    expect(accept(await world.hub.reader.read(id as BlockId)).header.version).toBe(1);
  });

  test("an edit of an earlier version merges with later changes", async () => {
    const [world, agent, id] = await openBlock("a\nb\n");
    const ada = await authorOf(world, person("ada"));
    accept(await world.hub.editor.edit(ada, id as BlockId, { changes: [insertion(0, "top\n")] }));
    const operations = [{ op: "replace", start_line: 1, end_line: 2, content: "B", expected_text: "b" }];
    expect(await agent.must("block.edit", { block_id: id, operations, base_version: 1 })).toMatchObject({ version: 3 });
    expect(await textOf(world, id as BlockId)).toBe("top\na\nB\n");
    expect(await agent.code("block.edit", { block_id: id, operations, base_version: 9 })).toBe("VERSION_UNKNOWN");
  });

  test("B-02 block_splice counts bytes and never splits a character", async () => {
    const [world, agent, id] = await openBlock("héllo\nwörld\n");
    const splice = (offset: number) =>
      agent.call("block_splice", { block_id: id, offset, delete_count: 0, insert: "|" });
    expect((await splice(7)).ok).toBe(true);
    expect(await textOf(world, id as BlockId)).toBe("héllo\n|wörld\n");
    expect((await splice(2)).code).toBe("OFFSET_OUT_OF_RANGE");
  });

  test("block_append writes until block_status sets done, and then is refused", async () => {
    const [world, agent] = await openBlock("");
    const id = await created(agent, { kind: "text", role: "assistant" });
    expect(accept(await world.hub.reader.read(id as BlockId)).header.status).toBe("pending");
    expect(await agent.must("block_append", { block_id: id, text: "no newline" })).toMatchObject({ version: 2 });
    await agent.must("block_status", { block_id: id, status: "done" });
    expect(await agent.code("block_append", { block_id: id, text: "more" })).toBe("STATUS_CONFLICT");
    expect(await textOf(world, id as BlockId)).toBe("no newline");
  });

  test("each tool call is a separate undo unit", async () => {
    const [world, agent, id] = await openBlock("");
    for (const text of ["a", "b"]) await agent.must("block_append", { block_id: id, text });
    const changes = await world.store.changes({ blockId: id as BlockId, afterVersion: 1 });
    const units = changes.map(({ body }) => (body.type === "text" ? body.unit.id : ""));
    expect(new Set(units).size).toBe(2);
    const ada = await authorOf(world, person("ada"));
    accept(await world.hub.history.undoTurn(ada, agent.turnId));
    expect(await textOf(world, id as BlockId)).toBe("");
  });

  test("B-32 block_create refuses an order between a file and other blocks with an explanation", async () => {
    const [, agent, file] = await openBlock("");
    const text = await created(agent, { kind: "text", role: "user" });
    for (const wish of [
      { kind: "text", after: file },
      { kind: "file", after: text },
      { kind: "file", after: file },
    ]) {
      expect((await agent.call("block_create", { role: "user", ...wish })).content).toMatchObject({
        code: "INVALID_PARAMS",
        message: expect.stringContaining("its own document"),
        details: { path: "after" },
      });
    }
    expect(await agent.code("block_create", { role: "user", kind: "text", after: "no/1/1" })).toBe("BLOCK_NOT_FOUND");
  });

  test("block_create finds no block of another conversation, to put one below it or after it", async () => {
    const [world, agent] = await openBlock("");
    const theirs = await created(new TestAgent(world, null, "other"), { kind: "text", role: "user" });
    for (const place of [{ parent_id: theirs }, { after: theirs }]) {
      expect(await agent.code("block_create", { role: "user", kind: "text", ...place })).toBe("BLOCK_NOT_FOUND");
    }
  });

  test("B-32 blocks created directly after the first are listed newest first", async () => {
    const [world, agent] = await openBlock("");
    const make = (after?: string): Promise<string> =>
      created(agent, { kind: "text", role: "user", ...(after === undefined ? {} : { after }) });
    const first = await make();
    const last = await make();
    const between = [await make(first), await make(first)];
    const listed = await world.hub.reader.list("root-run" as DocumentId);
    expect(listed.map((header) => header.id)).toEqual([first, ...between.toReversed(), last]);
  });
});
