import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import type { Shell } from "../../core/port/shell.ts";
import { inOrder, type Move, Studio } from "../canvas/canvas.test-support.ts";

const folder = await mkdtemp(join(tmpdir(), "heddle-newline-"));
afterAll(() => rm(folder, { recursive: true }));

const shell: Shell = { hosts: [], run: () => Promise.reject(new Error("no command runs")), close: async () => {} };

async function written(syntax: string, move: Move, file: string): Promise<string> {
  const { clock } = systemPlatform();
  const studio = await Studio.open("one\n", { folder: { files: await openFolderTree(folder, clock), shell } });
  const made = await studio.workspace.conversations.create({ toolSyntax: syntax });
  if (!made.ok) throw new Error(made.error.code);
  studio.rootId = made.value.id;
  await studio.workspace.conversations.setRules({ rootId: studio.rootId, approvals: "none" });
  studio.mind = inOrder(move, { say: "Written." });
  await studio.ask("Write it.");
  await studio.close();
  return readFile(join(folder, file), "utf8");
}

const call = (path: string, ...body: readonly string[]) => ({
  say: ["^^^write_file", `path: ${path}`, ...body, "^^^"].join("\n"),
});

test.each<readonly [string, readonly string[], string]>([
  ["lines.txt", ["content ---", "one", "two", "--- content"], "one\ntwo\n"],
  ["body.txt", ["---", "content: |", "  # Title", "  body."], "# Title\nbody.\n"],
  ["line.txt", ["---", "content: one line"], "one line\n"],
  ["blank.txt", ["content ---", "one", "", "--- content"], "one\n"],
])("14.10 a file written by a triple-caret call ends with its newline: %s", async (path, body, text) => {
  expect(await written("caret", call(path, ...body), path)).toBe(text);
});

test("14.10 a native call writes exactly its content", async () => {
  const move = { call: "write_file", with: { path: "native.txt", content: "no newline" } };
  expect(await written("native", move, "native.txt")).toBe("no newline");
});
