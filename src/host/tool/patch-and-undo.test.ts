import { describe, expect, test } from "vitest";
import type { Actor } from "../../core/base/actor.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { ok } from "../../core/base/result.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import type { EditPolicy } from "../../core/block/types.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { hubLimits } from "../document/record/limits.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import {
  authorOf,
  createBlock,
  insertion,
  model,
  person,
  requestId,
  TestReplica,
  textOf,
} from "../document/world.test-support.ts";
import { openToolWorld, TestAgent, type ToolWorld } from "./agent.test-support.ts";

async function openFile(text: string): Promise<[ToolWorld, TestAgent, BlockId]> {
  const world = await openToolWorld();
  const { id } = await createBlock(world, { kind: "file", status: "done", text, document: "file" });
  return [world, new TestAgent(world, null), id];
}

/** Inserts text at the start as another author. */
async function write(world: ToolWorld, who: string, id: BlockId, text: string): Promise<void> {
  const author = await authorOf(world, person(who));
  accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, text)] }));
}

function entriesOf(content: JsonObject): readonly JsonObject[] {
  const { entries } = content;
  return Array.isArray(entries) ? entries.filter(isJsonObject) : [];
}

describe("block_apply_patch", () => {
  const patch = "@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n";

  test("block_apply_patch applies all hunks as one version and one undo unit", async () => {
    const [world, agent, id] = await openFile("one\ntwo\nthree\n");
    const applied = await agent.must("block_apply_patch", { block_id: id, patch });
    expect(applied).toMatchObject({ success: true, version: 2 });
    expect(applied).not.toHaveProperty("errors");
    expect(await textOf(world, id)).toBe("one\nzwei\nthree\n");
    expect(await agent.must("block_undo", { block_id: id })).toMatchObject({ version: 3, changed_by_others: [] });
    expect(await textOf(world, id)).toBe("one\ntwo\nthree\n");
  });

  test("a dry run reports whether the patch applies and changes nothing", async () => {
    const [world, agent, id] = await openFile("one\ntwo\n");
    const dry = await agent.must("block_apply_patch", { block_id: id, patch, dry_run: true });
    expect(dry).toEqual({ success: true });
    const other = patch.replace("-two", "-tow");
    const misfit = await agent.must("block_apply_patch", { block_id: id, patch: other, dry_run: true });
    expect(misfit).toMatchObject({ success: false, errors: [expect.stringContaining('not "tow"')] });
    expect(accept(await world.hub.reader.read(id)).header.version).toBe(1);
  });

  test.each<readonly [name: string, text: string, patch: string, code: string]>([
    ["half of a surrogate pair", "one\n", "@@ -1 +1 @@\n-one\n+\ud800\n", "TEXT_MALFORMED"],
    [
      "a text longer than a block allows",
      `one\n${"x".repeat(hubLimits.textUnitsMax - 4)}`,
      "@@ -1 +1 @@\n-one\n+longer\n",
      "BLOCK_TOO_LARGE",
    ],
  ])("a dry run is refused like the call itself for %s", async (_name, text, misfit, code) => {
    const [world, agent, id] = await openFile(text);
    for (const dry of [true, false]) {
      expect(await agent.code("block_apply_patch", { block_id: id, patch: misfit, dry_run: dry })).toBe(code);
    }
    expect(accept(await world.hub.reader.read(id)).header.version).toBe(1);
  });

  test("a dry run on a done block is refused, and on an editable block it is not", async () => {
    const world = await openToolWorld();
    const agent = new TestAgent(world, null);
    const { block_id: id = null } = await agent.must("block_create", {
      kind: "text",
      role: "user",
      content: "one\ntwo\n",
    });
    const dry = { block_id: id, patch, dry_run: true };
    expect(await agent.must("block_apply_patch", dry)).toEqual({ success: true });
    await agent.must("block_status", { block_id: id, status: "done" });
    expect(await agent.code("block_apply_patch", dry)).toBe("STATUS_CONFLICT");
  });

  test("a dry run keeps the version, the typing unit and the undo stack", async () => {
    const [world, , id] = await openFile("one\n");
    const ada = await authorOf(world, person("ada"));
    const replica = new TestReplica(id);
    await replica.join(world);
    const type = async (text: string): Promise<void> => {
      accept(await world.hub.editor.push(ada, id, replica.edit(ada.replica, [insertion(0, text)]), requestId()));
    };
    await type("a");
    const plan = () => ok({ changes: [insertion(0, "tried")] });
    expect(await world.hub.editor.tryEdit(ada, id, plan)).toEqual({ ok: true, value: undefined });
    await type("b");
    expect([await textOf(world, id), replica.version]).toEqual(["baone\n", 3]);
    accept(await world.hub.history.undo(ada, id));
    expect(await textOf(world, id)).toBe("one\n");
  });

  test("a dry run is refused to a person while an agent holds the canvas, and to an agent that may only suggest", async () => {
    const world = await openToolWorld();
    const plan = () => ok({ changes: [insertion(0, "tried")] });
    const tried = async (policy: EditPolicy, actor: Actor): Promise<string> => {
      const { id } = await createBlock(world, { kind: "file", status: "done", policy, document: policy });
      await new TestAgent(world, id).checkOut();
      return codeOf(await world.hub.editor.tryEdit(await authorOf(world, actor), id, plan));
    };
    expect(await tried("lease", person("ada"))).toBe("CANVAS_LEASED");
    expect(await tried("suggest", model("other"))).toBe("REVIEW_NEEDED");
    expect(await tried("live", person("ada"))).toBe("ok");
  });

  test("a patch that does not match changes nothing and returns every failed hunk with the actual lines", async () => {
    const [world, agent, id] = await openFile("one\ntwo\nthree\n");
    const refused = await agent.must("block_apply_patch", { block_id: id, patch: `${patch}@@ -3 +3 @@\n-drei\n+3\n` });
    expect(refused).toEqual({ success: false, errors: [expect.stringMatching(/^Hunk 2 .*\nthree$/s)] });
    const unreadable = await agent.must("block_apply_patch", { block_id: id, patch: "hello" });
    expect(unreadable).toEqual({ success: false, errors: [expect.stringContaining("could not be read")] });
    expect(await textOf(world, id)).toBe("one\ntwo\nthree\n");
  });

  test("a patch of an earlier version merges with later changes", async () => {
    const [world, agent, id] = await openFile("one\ntwo\n");
    await write(world, "ada", id, "zero\none\n");
    const dry = { block_id: id, patch, base_version: 1, dry_run: true };
    expect(await agent.must("block_apply_patch", dry)).toEqual({ success: true });
    expect(await agent.must("block_apply_patch", { block_id: id, patch, base_version: 1 })).toMatchObject({
      version: 3,
    });
    expect(await textOf(world, id)).toBe("zero\none\none\nzwei\n");
    expect(await agent.code("block_apply_patch", { block_id: id, patch, base_version: 9 })).toBe("VERSION_UNKNOWN");
    expect(await agent.code("block_apply_patch", { block_id: id, patch, base_version: 9, dry_run: true })).toBe(
      "VERSION_UNKNOWN",
    );
  });
});

describe("block_undo and block_redo", () => {
  test("block_undo undoes one call at a time, also when a provider gives every call the same id", async () => {
    const [world, agent, id] = await openFile("one\n");
    agent.callId = "call_0";
    for (const content of ["two", "three"]) {
      await agent.must("block.edit", { block_id: id, operations: [{ op: "insert", line: 0, content }] });
    }
    await agent.must("block_undo", { block_id: id });
    expect(await textOf(world, id)).toBe("two\none\n");
    await agent.must("block_undo", { block_id: id });
    expect(await textOf(world, id)).toBe("one\n");
  });

  test("B-34 block_undo and block_redo revert the agent's own calls one by one and keep others' text", async () => {
    const [world, agent, id] = await openFile("");
    await agent.must("block_append", { block_id: id, text: "mine\n" });
    await write(world, "bob", id, "bob\n");
    const operations = [{ op: "replace", start_line: 1, end_line: 2, content: "MINE" }];
    await agent.must("block.edit", { block_id: id, operations });
    const step = async (tool: string): Promise<string> => {
      await agent.must(tool, { block_id: id });
      return textOf(world, id);
    };
    expect(await step("block_undo")).toBe("bob\nmine\n");
    expect(await step("block_undo")).toBe("bob\n");
    expect(await agent.code("block_undo", { block_id: id })).toBe("NOTHING_TO_UNDO");
    expect(await step("block_redo")).toBe("bob\nmine\n");
    expect(await step("block_redo")).toBe("bob\nMINE\n");
    expect(await agent.code("block_redo", { block_id: id })).toBe("NOTHING_TO_REDO");
  });

  test("B-34 block_undo ignores another run's calls, which stay undoable after a restart", async () => {
    const [world, agent, id] = await openFile("");
    await agent.must("block_append", { block_id: id, text: "mine" });
    expect(await new TestAgent(world, null, "other").code("block_undo", { block_id: id })).toBe("NOTHING_TO_UNDO");
    const later = await openToolWorld(openMemoryStore(world.store.image()));
    await new TestAgent(later, null).must("block_undo", { block_id: id });
    expect(await textOf(later, id)).toBe("");
  });

  test("block_undo and block_redo revert one call by its id, whatever followed it", async () => {
    const [world, agent, id] = await openFile("");
    for (const text of ["a", "b", "c"]) await agent.must("block_append", { block_id: id, text });
    const entries = entriesOf(await agent.must("block_history", { block_id: id }));
    const call = entries[1]?.["tool_call_id"] ?? "";
    await agent.must("block_undo", { block_id: id, tool_call_id: call });
    expect(await textOf(world, id)).toBe("ac");
    expect(await agent.code("block_undo", { block_id: id, tool_call_id: call })).toBe("NOTHING_TO_UNDO");
    await agent.must("block_redo", { block_id: id, tool_call_id: call });
    expect(await textOf(world, id)).toBe("abc");
  });

  test("B-35 undoing a call keeps later changes of others and names their authors", async () => {
    const [world, agent, id] = await openFile("");
    await agent.must("block_append", { block_id: id, text: "abcdef" });
    const bob = await authorOf(world, person("bob"));
    accept(await world.hub.editor.edit(bob, id, { changes: [{ from: 1, to: 3, insert: "BOB" }] }));
    expect(await agent.must("block_undo", { block_id: id })).toMatchObject({ changed_by_others: ["bob"] });
    expect(await textOf(world, id)).toBe("BOB");
  });
});

describe("block_history", () => {
  test("block_history lists author, call, versions and change, newest first", async () => {
    const [world, agent, id] = await openFile("start\n");
    await agent.must("block_append", { block_id: id, text: "more\n" });
    await write(world, "ada", id, "top\n");
    await agent.must("block_undo", { block_id: id });
    const history = await agent.must("block_history", { block_id: id });
    expect(history).toMatchObject({
      entries: [
        { version: 4, actor: { type: "model", name: "scribe" }, summary: "took back: +0 −5 characters" },
        { version: 3, actor: { type: "person", name: "ada" }, summary: "+4 −0 characters, “top”" },
        { version: 2, actor: { type: "model" }, turn_id: "run-turn", tool_call_id: expect.any(String) },
        { version: 1, first_version: 1, actor: { name: "maker" }, summary: "created with 6 characters" },
      ],
      truncated: false,
    });
    expect(entriesOf(history)[1]).not.toHaveProperty("tool_call_id");
  });

  test("block_history is read page by page and is the same after a restart", async () => {
    const [world, agent, id] = await openFile("");
    for (const text of ["a", "b", "c"]) await agent.must("block_append", { block_id: id, text });
    const page = (before_version: number) =>
      agent.must("block_history", { block_id: id, before_version, max_entries: 2 });
    const first = await agent.must("block_history", { block_id: id, max_entries: 2 });
    expect(first).toMatchObject({ entries: [{ version: 4 }, { version: 3, first_version: 3 }], truncated: true });
    expect(await page(3)).toMatchObject({ entries: [{ version: 2 }, { version: 1 }], truncated: false });
    const later = await openToolWorld(openMemoryStore(world.store.image()));
    accept(await later.hub.reader.read(id));
    expect(await new TestAgent(later, null).must("block_history", { block_id: id, max_entries: 2 })).toEqual(first);
  });
});
