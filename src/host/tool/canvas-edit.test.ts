import { describe, expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import type { Json, JsonObject } from "../../core/base/json.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { EditPolicy } from "../../core/block/types.ts";
import { authorOf, createBlock, insertion, person, textOf } from "../document/world.test-support.ts";
import { openToolWorld, TestAgent, type ToolWorld } from "./agent.test-support.ts";

const plan = "# Plan\n\nWe ship on Friday.\n\n## Tasks\n\n- write\n- test\n\n## Later\n\nNothing.\n";

interface Canvas {
  readonly world: ToolWorld;
  readonly id: BlockId;
  readonly agent: TestAgent;
  readonly leaseId: string;
}

async function openCanvas(policy: EditPolicy = "live"): Promise<Canvas> {
  const world = await openToolWorld();
  const { id } = await createBlock(world, { kind: "file", status: "done", text: plan, policy, document: "canvas" });
  const agent = new TestAgent(world, id);
  return { world, id, agent, leaseId: await agent.checkOut() };
}

function edit({ agent, leaseId }: Canvas, ...edits: readonly JsonObject[]) {
  return agent.call("canvas_edit", { lease_id: leaseId, edits: edits as Json });
}

describe("14.6 canvas_edit", () => {
  test("14.6 edits by the anchors that canvas_read_lines, canvas_read_all and canvas_grep print", async () => {
    const canvas = await openCanvas();
    const { agent, leaseId: lease_id } = canvas;
    const { text } = await agent.must("canvas_read_lines", { lease_id, start_line: 3, end_line: 3, anchors: true });
    const anchor = (text as string).split("→")[0] ?? "";
    const answer = await edit(canvas, { anchor, text: "We ship on Monday." });
    expect(answer.content).toMatchObject({
      ok: true,
      applied_edits: 1,
      merged_with_others: false,
      text_around: expect.stringMatching(/3:[0-9a-f]{4}→We ship on Monday\./),
    });
    expect(answer.content["new_revision_id"]).toBe(answer.revisionId);
    const { matches } = await agent.must("canvas_grep", { lease_id, query: "test" });
    const [found] = matches as readonly JsonObject[];
    expect((await edit(canvas, { anchor: found?.["anchor"] ?? "", text: "- test it" })).ok).toBe(true);
    const all = await agent.must("canvas_read_all", { lease_id, anchors: true });
    const last = (all["text"] as string).split("\n").at(-1)?.split("→")[0] ?? "";
    expect((await edit(canvas, { anchor: last, action: "delete" })).ok).toBe(true);
    expect(await textOf(canvas.world, canvas.id)).toBe(
      plan.replace("Friday", "Monday").replace("- test", "- test it").replace("Nothing.\n", ""),
    );
  });

  test("14.6 edits by section, list item and passage in one call and one undo unit", async () => {
    const canvas = await openCanvas();
    await edit(
      canvas,
      { section: "Later", text: "Docs." },
      { section: "Tasks", list_item: "2", action: "after", text: "- ship" },
      { search: "Friday", text: "Monday" },
    );
    const after = plan.replace("Friday", "Monday").replace("- test\n", "- test\n- ship\n").replace("Nothing.", "Docs.");
    expect(await textOf(canvas.world, canvas.id)).toBe(after);
    await canvas.agent.must("block_undo", { block_id: canvas.id });
    expect(await textOf(canvas.world, canvas.id)).toBe(plan);
  });

  test("14.6 a refused edit changes nothing, names its place and returns the revision", async () => {
    const canvas = await openCanvas();
    const refused = await edit(canvas, { search: "Friday", text: "Monday" }, { anchor: "3:0000", text: "x" });
    expect(refused).toMatchObject({
      code: "ANCHOR_MISMATCH",
      content: { details: { edit_index: 1, actual_text: "We ship on Friday." } },
    });
    expect(refused.revisionId).toMatch(/^1-/);
    expect(await textOf(canvas.world, canvas.id)).toBe(plan);
  });

  test("C-17 14.6 the same edit right after itself is not applied twice", async () => {
    const canvas = await openCanvas();
    const again = { section: "Tasks", action: "after", text: "- ship" };
    expect((await edit(canvas, again)).ok).toBe(true);
    expect(await edit(canvas, again)).toMatchObject({
      code: "PATCH_REJECTED",
      content: { details: { reason: "REPEATED" } },
    });
    expect(await textOf(canvas.world, canvas.id)).toBe(plan.replace("- test\n", "- test\n- ship\n"));
  });

  test("14.6 in Live, what people type meanwhile is merged", async () => {
    const canvas = await openCanvas();
    const { world, id } = canvas;
    const ada = await authorOf(world, person("ada"));
    accept(await world.hub.editor.edit(ada, id, { changes: [insertion(0, "Draft.\n")] }));
    expect((await edit(canvas, { section: "Later", text: "Docs." })).content).toMatchObject({
      merged_with_others: true,
    });
    expect(await textOf(world, id)).toBe(`Draft.\n${plan.replace("Nothing.", "Docs.")}`);
  });

  test("14.6 in Lease, a stale base is refused", async () => {
    const canvas = await openCanvas("lease");
    const base = (await canvas.agent.must("canvas_read_all", { lease_id: canvas.leaseId }))["revision_id"];
    expect((await edit(canvas, { section: "Later", text: "Docs." })).ok).toBe(true);
    const stale = { lease_id: canvas.leaseId, edits: [{ search: "Friday", text: "x" }], base_revision_id: base ?? "" };
    expect(await canvas.agent.code("canvas_edit", stale)).toBe("PATCH_REJECTED");
  });

  test("14.6 in Suggest, the edit waits for a person and the agent sees it", async () => {
    const canvas = await openCanvas("suggest");
    const { world, id } = canvas;
    const answer = await edit(canvas, { section: "Later", text: "Docs." });
    expect(answer.content).toMatchObject({ awaiting_review: true, suggested_hunks: 1 });
    expect((await edit(canvas, { search: "Docs", text: "Guides" })).ok).toBe(true);
    expect(await textOf(world, id)).toBe(plan);
    accept(await world.hub.suggestions.keep(await authorOf(world, person("ada")), id, undefined));
    expect(await textOf(world, id)).toBe(plan.replace("Nothing.", "Guides."));
  });

  test("14.6 a late edit is kept as a suggestion", async () => {
    const canvas = await openCanvas();
    const { world, id } = canvas;
    accept(await world.leases.takeControl(id));
    const late = await edit(canvas, { section: "Later", text: "Docs." });
    expect(late).toMatchObject({ code: "STALE_EPOCH", content: { details: { kept_as_suggestion: true } } });
    expect(await textOf(world, id)).toBe(plan);
  });
});
