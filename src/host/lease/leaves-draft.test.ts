import { expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { BlockId, FolderId } from "../../core/base/ids.ts";
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
const ports = {
  store: { block: async (id: BlockId) => (headers[id] ?? null) as BlockHeader | null },
  folderId: "folder_1" as FolderId,
  holdsText: async (_id: FolderId, path: string) => path === "a.md" || path === "b.md",
};

const tools = [...modelBlockTools, ...canvasTools, ...commentTools, ...fileTools];
const writing = tools.map((spec) => factsOfSpec(spec)).filter(({ access }) => access === "write");

test("K-35 each tool for documents that writes says how it works in a draft, or a person is asked", () => {
  const named = (inDraft: InDraft | undefined) =>
    writing.filter((facts) => facts.inDraft === inDraft).map(({ name }) => name);
  expect(named("held")).toEqual([
    "canvas_edit",
    "canvas_apply_patch",
    "comment_add",
    "comment_reply",
    "comment_resolve",
  ]);
  expect(named(undefined)).toEqual(["move_file", "delete_file"]);
  expect(named("texts").length + named("not-files").length).toBe(writing.length - 7);
});

test.each([
  ["block_edit", { block_id: "c/1/1" }, false],
  ["block_edit", { block_id: "t/1/1" }, false],
  ["block_edit", { block_id: "f/1/1" }, false],
  ["block_apply_patch", { block_id: "g/1/1" }, true],
  ["block_undo", { block_id: "f/1/1" }, true],
  ["block_undo", { block_id: "c/1/1" }, false],
  ["block_update", { block_id: "f/1/1", metadata: { path: "b.md" } }, true],
  ["block_create", { path: "a.md" }, true],
  ["canvas_edit", { canvas_id: "c/1/1" }, false],
  ["write_file", { path: "a.md" }, false],
  ["write_file", { path: "new.md" }, true],
  ["replace_in_file", { path: "a.md" }, false],
  ["patch", { files: [{ path: "a.md" }, { path: "b.md" }] }, false],
  ["patch", { files: [{ path: "a.md" }, { path: "new.md" }] }, true],
  ["move_file", { path: "a.md", to: "b.md" }, true],
  ["delete_file", { path: "a.md" }, true],
] as const)("%s of %j leaves a draft: %s", async (name, parameters, leaves) => {
  const call = { parameters: JSON.parse(JSON.stringify(parameters)) };
  const facts = must(
    writing.find((one) => one.name === name),
    "a tool",
  );
  expect(await leavesDraft(ports, facts, call)).toBe(leaves);
  expect(await leavesDraft(ports, { ...facts, access: "read" }, call)).toBe(false);
});

test("K-36 without a folder every file tool leaves a draft", async () => {
  const call = { parameters: { path: "a.md" } };
  expect(await leavesDraft({ ...ports, folderId: null }, { access: "write", inDraft: "texts" }, call)).toBe(true);
});

test("K-36 a tool of another program leaves a draft, whatever its name", async () => {
  for (const name of ["canvas_edit", "comment_add", "block_edit", "run_command"]) {
    expect(await leavesDraft(ports, { access: "write" }, { parameters: { name } })).toBe(true);
  }
});
