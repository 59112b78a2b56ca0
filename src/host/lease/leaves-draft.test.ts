import { expect, test } from "vitest";
import type { BlockId, FolderId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { leavesDraft } from "./leaves-draft.ts";

const headers: Readonly<Record<string, Partial<BlockHeader>>> = {
  "f/1/1": { kind: "file", metadata: { path: "a.md" } },
  "g/1/1": { kind: "file", metadata: { path: "gone.md" } },
  "c/1/1": { kind: "file", policy: "live" },
  "t/1/1": { kind: "text" },
};
const ports = {
  store: { block: async (id: BlockId) => (headers[id] ?? null) as BlockHeader | null },
  folderId: "folder_1" as FolderId,
  holdsText: async (_id: FolderId, path: string) => path === "a.md" || path === "b.md",
};

test.each([
  ["block_edit", { block_id: "c/1/1" }, false],
  ["block_edit", { block_id: "t/1/1" }, false],
  ["block.edit", { block_id: "f/1/1" }, false],
  ["block_apply_patch", { block_id: "g/1/1" }, true],
  ["block_undo", { block_id: "f/1/1" }, true],
  ["block_update", { block_id: "f/1/1", metadata: { path: "b.md" } }, true],
  ["block_create", { path: "a.md" }, true],
  ["canvas_edit", { canvas_id: "c/1/1" }, false],
  ["write_file", { path: "a.md" }, false],
  ["write_file", { path: "new.md" }, true],
  ["write_file", {}, true],
  ["replace_in_file", { path: "a.md" }, false],
  ["patch", { files: [{ path: "a.md" }, { path: "b.md" }] }, false],
  ["patch", { files: [{ path: "a.md" }, { path: "new.md" }] }, true],
  ["move_file", { path: "a.md", to: "b.md" }, true],
  ["delete_file", { path: "a.md" }, true],
  ["run_command", {}, true],
] as const)("%s of %j leaves a draft: %s", async (name, parameters, leaves) => {
  const call = { name, parameters: JSON.parse(JSON.stringify(parameters)) };
  expect(await leavesDraft(ports, { access: "write" }, call)).toBe(leaves);
  expect(await leavesDraft(ports, { access: "read" }, call)).toBe(false);
});

test("K-36 without a folder every file tool leaves a draft", async () => {
  const call = { name: "write_file", parameters: { path: "a.md" } };
  expect(await leavesDraft({ ...ports, folderId: null }, { access: "write" }, call)).toBe(true);
});
