import { expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { factsOfSpec } from "../../core/tool/base/facts.ts";
import type { InDraft } from "../../core/tool/base/types.ts";
import { modelBlockTools } from "../../core/tool/block/model-block-tools.ts";
import { canvasTools } from "../../core/tool/canvas/canvas-tools.ts";
import { commentTools } from "../../core/tool/comment/comment-tools.ts";
import { fileTools } from "../../core/tool/file/file-tools.ts";
import { leavesDraft } from "./leaves-draft.ts";

const headers: Readonly<Record<string, Partial<BlockHeader>>> = {
  "f/1/1": { kind: "file", metadata: { path: "a.md" } },
  "g/1/1": { kind: "file", metadata: { path: "gone.md" } },
  "c/1/1": { kind: "file", policy: "live" },
  "t/1/1": { kind: "text" },
};
const store = { block: async (id: BlockId) => (headers[id] ?? null) as BlockHeader | null };

const tools = [...modelBlockTools, ...canvasTools, ...commentTools, ...fileTools];
const writing = tools.map((spec) => factsOfSpec(spec)).filter(({ access }) => access === "write");

test("K-35 each tool for documents that writes says how it works in a draft", () => {
  const named = (inDraft: InDraft | undefined) =>
    writing.filter((facts) => facts.inDraft === inDraft).map(({ name }) => name);
  expect(named(undefined)).toEqual([]);
  expect(named("not-files")).toEqual([
    "block_undo",
    "block_redo",
    "block_create",
    "block_status",
    "block_update",
    "block_restore",
  ]);
});

test.each([
  ["block_edit", { block_id: "f/1/1" }, false],
  ["block_delete", { block_id: "f/1/1" }, false],
  ["block_undo", { block_id: "f/1/1" }, true],
  ["block_undo", { block_id: "c/1/1" }, false],
  ["block_status", { block_id: "t/1/1" }, false],
  ["block_update", { block_id: "f/1/1", metadata: { path: "b.md" } }, true],
  ["block_create", { path: "a.md" }, true],
  ["canvas_edit", { canvas_id: "c/1/1" }, false],
  ["write_file", { path: "new.md" }, false],
  ["patch", { files: [{ path: "a.md" }, { path: "new.md" }] }, false],
  ["move_file", { path: "a.md", to: "b.md" }, false],
  ["delete_file", { path: "a.md" }, false],
] as const)("%s of %j leaves a draft: %s", async (name, parameters, leaves) => {
  const call = { parameters: JSON.parse(JSON.stringify(parameters)) };
  const facts = must(
    writing.find((one) => one.name === name),
    "a tool",
  );
  expect(await leavesDraft(store, facts, call)).toBe(leaves);
  expect(await leavesDraft(store, { ...facts, access: "read" }, call)).toBe(false);
});

test("K-36 a tool of another program leaves a draft, whatever its name", async () => {
  for (const name of ["canvas_edit", "comment_add", "block_edit", "run_command"]) {
    expect(await leavesDraft(store, { access: "write" }, { parameters: { name } })).toBe(true);
  }
});
