import { describe, expect, test } from "vitest";
import type { BlockId, DocumentId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { hubLimits } from "../document/record/limits.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import { authorOf, createBlock, person, textOf } from "../document/world.test-support.ts";
import { openToolWorld, TestAgent, type ToolWorld } from "./agent.test-support.ts";

async function openBlock(): Promise<[ToolWorld, TestAgent, BlockId]> {
  const world = await openToolWorld();
  const agent = new TestAgent(world, null);
  const { block_id: id } = await agent.must("block_create", { kind: "text", role: "assistant", content: "text" });
  return [world, agent, id as BlockId];
}

describe("block_update", () => {
  test("block_update sets flags and metadata; block_list leaves out for an agent what is excluded, and counts it", async () => {
    const [world, agent, id] = await openBlock();
    const wish = { block_id: id, excluded: true, metadata: { language: "md", own: 1 } };
    expect(await agent.must("block_update", wish)).toEqual({ version: 3 });
    expect(await agent.must("block_update", { block_id: id, metadata: { own: null } })).toEqual({ version: 4 });
    expect(await agent.must("block.read", { block_id: id })).toMatchObject({ metadata: { language: "md" } });
    expect(await agent.must("block_list")).toEqual({ blocks: [], excluded: 1 });
    expect(accept(await world.hub.reader.read(id)).header).toMatchObject({ excluded: true, collapsed: false });
    await agent.must("block_update", { block_id: id, excluded: false, collapsed: true });
    const { blocks } = await agent.must("block_list");
    expect(blocks).toMatchObject([{ block_id: id, collapsed: true }]);
    expect(JSON.stringify(blocks)).not.toContain("excluded");
  });

  test("block_update keeps a field with any name", async () => {
    const [, agent, id] = await openBlock();
    const metadata = { constructor: "of bridges", prototype: 1, toString: { own: true } };
    expect(await agent.must("block_update", { block_id: id, metadata })).toEqual({ version: 2 });
    expect((await agent.must("block.read", { block_id: id }))["metadata"]).toEqual(metadata);
    expect(await agent.must("block_update", { block_id: id, metadata: { constructor: null } })).toEqual({ version: 3 });
    expect((await agent.must("block.read", { block_id: id }))["metadata"]).toEqual({
      ...metadata,
      constructor: undefined,
    });
  });

  test("B-32 neither block_update nor metadata at creation moves a block", async () => {
    const [world, agent, id] = await openBlock();
    const beside = { kind: "text", role: "user", metadata: { after: id } };
    for (const answer of [
      await agent.call("block_update", { block_id: id, metadata: { after: null } }),
      await agent.call("block_create", beside),
    ]) {
      const details = { path: "metadata.after", expected: expect.stringContaining("the parameter after") };
      expect(answer).toMatchObject({ code: "INVALID_PARAMS", content: { details } });
    }
    expect(await world.hub.reader.list("root-run" as DocumentId)).toHaveLength(1);
  });

  test("block metadata does not show the `after` field", async () => {
    const [, agent, id] = await openBlock();
    const placed = { kind: "text", role: "user", after: id, metadata: { language: "md" } };
    const { block_id: second } = await agent.must("block_create", placed);
    expect((await agent.must("block.read", { block_id: second ?? null }))["metadata"]).toEqual({ language: "md" });
  });

  test("a file's conflict field is set only by Heddle", async () => {
    const [, agent, id] = await openBlock();
    const metadata = { conflict: null };
    expect(await agent.code("block_update", { block_id: id, metadata })).toBe("INVALID_PARAMS");
    expect(await agent.code("block_create", { kind: "file", role: "user", metadata })).toBe("INVALID_PARAMS");
  });

  test("B-40 the path of a file block in no folder is a name, which changes; taking it away is refused", async () => {
    const world = await openToolWorld();
    const agent = new TestAgent(world, null);
    const file = { kind: "file", role: "user", metadata: { path: "a.md" } };
    const { block_id: id = null } = await agent.must("block_create", file);
    const moved = await agent.call("block_update", { block_id: id, metadata: { path: "b.md" } });
    expect(moved).toMatchObject({ ok: true, content: { path: "b.md", moved_from: "a.md", version: 2 } });
    expect(await agent.call("block_update", { block_id: id, metadata: { path: null } })).toMatchObject({
      code: "INVALID_PARAMS",
      content: {
        message: expect.stringContaining("moved with file.move or move_file"),
        details: { expected: "left out, or b.md" },
      },
    });
    expect(await agent.must("block_update", { block_id: id, metadata: { path: "b.md", own: 1 } })).toEqual({
      version: 3,
    });
  });
});

describe("metadata bounds", () => {
  const long = "x".repeat(hubLimits.metadataUnitsMax);
  const some = long.slice(0, hubLimits.metadataUnitsMax / 2);

  test("metadata above the limit is refused with the limit, given at once or in steps", async () => {
    const [world, agent, id] = await openBlock();
    const tooMuch = { code: "INVALID_PARAMS", content: { details: { path: "metadata", max: 65536 } } };
    expect(await agent.call("block_create", { kind: "text", role: "user", metadata: { long } })).toMatchObject(tooMuch);
    expect(await agent.call("block_update", { block_id: id, metadata: { long } })).toMatchObject(tooMuch);
    await agent.must("block_update", { block_id: id, metadata: { some } });
    expect(await agent.call("block_update", { block_id: id, metadata: { more: some } })).toMatchObject(tooMuch);
    await agent.must("block_update", { block_id: id, metadata: { some: null, more: some } });
    expect(accept(await world.hub.reader.read(id)).header.metadata).toEqual({ more: some });
  });

  test("Heddle's own fields do not count, and metadata from before the limit may shrink", async () => {
    const world = await openToolWorld();
    const author = await authorOf(world, person("ada"));
    const block = { documentId: "old" as DocumentId, parentId: null, role: "user", kind: "file", text: "" } as const;
    const old = { ...block, status: "done", metadata: { long, some, own: 1 } } as const;
    const { id } = accept(await world.hub.editor.create(author, old));
    accept(await world.hub.editor.update(author, id, { metadata: { conflict: { lines: [{ start: 0, end: 1 }] } } }));
    expect(codeOf(await world.hub.editor.update(author, id, { metadata: { own: 22 } }))).toBe("INVALID_PARAMS");
    accept(await world.hub.editor.update(author, id, { collapsed: true, metadata: { some: null } }));
    expect(accept(await world.hub.reader.read(id)).header.metadata).toMatchObject({ long, own: 1, conflict: {} });
  });

  test.each<JsonObject>([{ own: "\ud800" }, { own: [{ deep: "\udc00" }] }, { own: { "\ud800": 1 } }, { "\ud800": 1 }])(
    "metadata with half of a surrogate pair is refused: %j",
    async (metadata) => {
      const [, agent, id] = await openBlock();
      for (const [tool, parameters] of [
        ["block_create", { kind: "text", role: "user" }],
        ["block_update", { block_id: id }],
      ] as const) {
        expect(await agent.code(tool, { ...parameters, metadata })).toBe("TEXT_MALFORMED");
        expect(await agent.code(tool, { ...parameters, metadata: { own: ["\u{1f600}", null, 1] } })).toBe("ok");
      }
    },
  );
});

describe("block_delete", () => {
  test("B-33 a deleted block is in the trash: no tool reads, lists or finds it, and its agent restores it", async () => {
    const [world, agent, id] = await openBlock();
    const before = await agent.must("block.read", { block_id: id });
    expect(await agent.must("block_delete", { block_id: id })).toEqual({ version: 2, trash_id: expect.any(String) });
    for (const tool of ["block.read", "block_delete", "block_undo", "block_history"]) {
      expect(await agent.code(tool, { block_id: id })).toBe("IN_TRASH");
    }
    expect(await agent.must("block_list")).toEqual({ blocks: [] });
    expect(await agent.code("block_list", { parent_id: id })).toBe("BLOCK_NOT_FOUND");
    expect(await agent.must("kernel.search", { query: "text", kinds: ["text"] })).toMatchObject({ blocks: [] });
    const other = new TestAgent(world, null, "other");
    expect(await other.code("block.read", { block_id: id })).toBe("BLOCK_NOT_FOUND");
    expect(await other.code("block_restore", { block_id: id })).toBe("BLOCK_NOT_FOUND");
    expect(await agent.must("block_restore", { block_id: id })).toEqual({ version: 3 });
    expect(await agent.must("block.read", { block_id: id })).toEqual({
      ...before,
      version: 3,
      revision_id: expect.any(String),
    });
    expect(await agent.code("block_restore", { block_id: id })).toBe("NOT_IN_TRASH");
    expect(await agent.code("block_restore", { block_id: "doc/1/1" })).toBe("BLOCK_NOT_FOUND");
  });

  test("K-76 an agent restores only what agents of its own conversation deleted", async () => {
    const world = await openToolWorld();
    const { id } = await createBlock(world, { kind: "file", status: "done", text: "one\n", policy: "live" });
    const agent = new TestAgent(world, id);
    const other = new TestAgent(world, id, "other");
    const { entry } = accept(await world.hub.deletion.delete(await authorOf(world, person("ada")), id));
    for (const each of [agent, other]) {
      expect(await each.code("block_restore", { block_id: id })).toBe("TRASH_NOT_YOURS");
    }
    accept(await world.hub.deletion.restore(await authorOf(world, person("ada")), entry));
    await agent.checkOut();
    await agent.must("block_delete", { block_id: id });
    expect(await other.code("block_restore", { block_id: id })).toBe("TRASH_NOT_YOURS");
    expect(await agent.code("block_restore", { block_id: id })).toBe("ok");
    expect(await textOf(world, id)).toBe("one\n");
  });

  test("block_delete does not find blocks of another conversation", async () => {
    const [world, , id] = await openBlock();
    expect(await new TestAgent(world, null, "other").code("block_delete", { block_id: id })).toBe("BLOCK_NOT_FOUND");
    expect(await textOf(world, id)).toBe("text");
  });
});

describe("on a canvas", () => {
  const tools: readonly (readonly [name: string, parameters: JsonObject])[] = [
    ["block_apply_patch", { patch: "@@ -1 +1 @@\n-one\n+1\n" }],
    ["block_apply_patch", { patch: "@@ -1 +1 @@\n-one\n+1\n", dry_run: true }],
    ["block_history", {}],
    ["block_undo", {}],
    ["block_redo", {}],
    ["block_status", { status: "running" }],
    ["block_update", { metadata: { title: "T" } }],
    ["block_delete", {}],
  ];

  async function openCanvas(): Promise<[ToolWorld, TestAgent, BlockId]> {
    const world = await openToolWorld();
    const { id } = await createBlock(world, { kind: "file", status: "done", text: "one\n", policy: "live" });
    return [world, new TestAgent(world, id), id];
  }

  test("an agent needs the lease for every block tool on a canvas", async () => {
    const [world, agent, id] = await openCanvas();
    for (const [name, parameters] of tools) {
      expect([name, await agent.code(name, { ...parameters, block_id: id })]).toEqual([name, "LOCK_NOT_OWNED"]);
    }
    expect(accept(await world.hub.reader.read(id)).header.version).toBe(1);
    await agent.checkOut();
    await agent.must("block_append", { block_id: id, text: "two\n" });
    const order = ["block_undo", "block_redo", ...tools.map(([name]) => name)];
    for (const name of new Set(order)) {
      const parameters = tools.find(([known]) => known === name)?.[1] ?? {};
      expect([name, await agent.code(name, { ...parameters, block_id: id })]).toEqual([name, "ok"]);
    }
    expect(await agent.code("block.read", { block_id: id })).toBe("IN_TRASH");
    expect(await agent.code("canvas_check_out", { canvas_id: id })).toBe("IN_TRASH");
  });

  test("a write is refused when a person takes control just before the commit", async () => {
    const [world, agent, id] = await openCanvas();
    await agent.checkOut();
    await agent.must("block_append", { block_id: id, text: "two\n" });
    // Already in the store, but not yet known when the call checked the lease.
    accept(await world.store.commit([{ type: "preempt-lease", canvasId: id, epoch: 99 }]));
    for (const name of ["block_apply_patch", "block_undo", "block_status", "block_update", "block_delete"]) {
      const parameters = tools.find(([known]) => known === name)?.[1] ?? {};
      expect([name, await agent.code(name, { ...parameters, block_id: id })]).toEqual([name, "STALE_EPOCH"]);
    }
    const dry = { block_id: id, patch: "@@ -1 +1 @@\n-one\n+1\n", dry_run: true };
    expect(await agent.code("block_apply_patch", dry)).toBe("STALE_EPOCH");
    expect(await textOf(world, id)).toBe("one\ntwo\n");
    expect(accept(await world.hub.reader.read(id)).header.version).toBe(2);
  });

  test("every block tool is refused after a person took control", async () => {
    const [world, agent, id] = await openCanvas();
    await agent.checkOut();
    accept(await world.leases.takeControl(id));
    for (const [name, parameters] of tools) {
      expect([name, await agent.code(name, { ...parameters, block_id: id })]).toEqual([name, "STALE_EPOCH"]);
    }
    expect(accept(await world.hub.reader.read(id)).header.version).toBe(1);
  });
});
