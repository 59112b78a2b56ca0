import { expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { Role } from "../../core/rights/role.ts";
import { isAtLeast } from "../../core/rights/role.ts";
import type { Reach } from "../access/reach.ts";
import { createBlock, person } from "../document/world.test-support.ts";
import { openToolWorld, TestAgent } from "./agent.test-support.ts";

/** What an agent may do where everybody who can ask it has this role on every document; null: none. */
function reachWith(role: Role | null): Reach {
  const atLeast = (needed: Role): Reach => {
    const has = (): boolean => isAtLeast(role, needed);
    return { document: has, canvas: has, conversation: has, folder: has, folderPath: has };
  };
  const agent = { toChange: atLeast("editor"), toDelete: atLeast("owner"), toComment: atLeast("commenter") };
  return {
    ...atLeast("viewer"),
    agent: { ...agent, mayCreate: false, mayCallServers: false, mayRunCommands: false },
  };
}

test("A-20 A-22 a lease is no right: an agent edits a canvas and comments on it only while everyone may who can ask it", async () => {
  const world = await openToolWorld();
  const { id } = await createBlock(world, { kind: "file", status: "done", text: "warp\nweft\n", policy: "live" });
  const on = { blockId: id, at: { type: "document" }, text: "Why?" } as const;
  const thread = accept(await world.hub.comments.add(person("ann"), on)).id;
  const agent = new TestAgent(world, id);
  const lease_id = await agent.checkOut();
  const codes = async (role: Role | null): Promise<Readonly<Record<string, string>>> => {
    agent.reach = reachWith(role);
    const calls = {
      canvas_read_all: { lease_id },
      canvas_edit: { lease_id, edits: [{ search: "weft", text: `weft of ${role}` }] },
      canvas_apply_patch: { lease_id, patch: `@@\n-warp\n+warp of ${role}` },
      comment_list: { canvas_id: id },
      comment_add: { canvas_id: id, text: "Hm." },
      comment_reply: { comment_id: thread, text: "Because." },
    };
    const told: Record<string, string> = {};
    for (const [name, parameters] of Object.entries(calls)) told[name] = await agent.code(name, parameters);
    return told;
  };
  const text = async (): Promise<string> => accept(await world.hub.reader.read(id)).text;
  const missing = { canvas_read_all: "BLOCK_NOT_FOUND", canvas_edit: "BLOCK_NOT_FOUND" };
  expect(await codes(null)).toEqual({
    ...missing,
    canvas_apply_patch: "BLOCK_NOT_FOUND",
    comment_list: "BLOCK_NOT_FOUND",
    comment_add: "BLOCK_NOT_FOUND",
    comment_reply: "COMMENT_NOT_FOUND",
  });
  const refused = {
    canvas_read_all: "ok",
    canvas_edit: "FORBIDDEN",
    canvas_apply_patch: "FORBIDDEN",
    comment_list: "ok",
  };
  expect(await codes("viewer")).toEqual({ ...refused, comment_add: "FORBIDDEN", comment_reply: "FORBIDDEN" });
  expect(await codes("commenter")).toEqual({ ...refused, comment_add: "ok", comment_reply: "ok" });
  expect(await text()).toBe("warp\nweft\n");
  // What was refused waits nowhere: not as a suggestion either.
  expect(accept(await world.hub.suggestions.list(id, true, (found) => found))).toEqual([]);
  const all = await codes("editor");
  expect(new Set(Object.values(all))).toEqual(new Set(["ok"]));
  expect(must(await text(), "a text")).toBe("warp of editor\nweft of editor\n");
});
