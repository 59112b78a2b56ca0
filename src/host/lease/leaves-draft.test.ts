import { expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { leavesDraft } from "./leaves-draft.ts";

const store = {
  block: async (id: BlockId) =>
    id === "f/1/1" ? ({ kind: "file" } as BlockHeader) : ({ kind: "file", policy: "live" } as BlockHeader),
};

test.each([
  ["block_edit", { block_id: "c/1/1" }, false],
  ["block.edit", { block_id: "f/1/1" }, true],
  ["block_create", { path: "a.md" }, true],
  ["canvas_edit", { canvas_id: "c/1/1" }, false],
  ["write_file", { path: "a.md" }, true],
  ["run_command", {}, true],
] as const)("%s of %j leaves a draft: %s", async (name, parameters, leaves) => {
  expect(await leavesDraft(store, { access: "write" }, { name, parameters })).toBe(leaves);
  expect(await leavesDraft(store, { access: "read" }, { name, parameters })).toBe(false);
});
