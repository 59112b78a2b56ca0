import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let folder: string;
let server: TestServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-file-commands-"));
  writeFileSync(join(folder, "a.md"), "one\n");
  writeFileSync(join(folder, "Notes.md"), "notes\n");
  server = await startTestServer({ welcome: false, filesFolder: folder });
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function ask(path: string, body: object, to = server): Promise<Record<string, unknown>> {
  const response = await fetch(`${to.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${to.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

test("file.list finds files by letters of their path in any case, open files first", async () => {
  const listed = await ask("/api/commands/file.list", {});
  expect(listed).toMatchObject({ folder, truncated: false, files: [{ path: "Notes.md" }, { path: "a.md" }] });
  const { blockId } = await ask("/api/commands/file.open", { path: "a.md" });
  expect(await ask("/api/commands/file.list", {})).toMatchObject({
    files: [
      { path: "a.md", blockId },
      { path: "Notes.md", blockId: null },
    ],
  });
  const opened = await ask("/api/commands/file.list", { openedOnly: true });
  expect(opened["files"]).toEqual([
    { path: "a.md", blockId, dirty: false, conflict: false, gone: false, problem: null },
  ]);
  expect(await ask("/api/commands/file.list", { containing: "NOTE" })).toMatchObject({
    files: [{ path: "Notes.md", blockId: null, dirty: false, conflict: false }],
  });
});

test("file.resolve with both texts writes both, and refuses stale and repeated decisions", async () => {
  const { blockId } = await ask("/api/commands/file.open", { path: "a.md" });
  await ask("/api/tools/block_splice", { block_id: blockId, offset: 0, delete_count: 3, insert: "ours" });
  writeFileSync(join(folder, "a.md"), "theirs\n");
  await server.workspace.folders.flush();
  expect(await ask("/api/commands/file.list", { containing: "a.md" })).toMatchObject({
    files: [{ path: "a.md", dirty: true, conflict: true }],
  });
  const hash = createHash("sha256").update("theirs\n").digest("hex");
  expect(await ask("/api/commands/file.resolve", { blockId, keep: "both", hash: "" })).toMatchObject({ status: 409 });
  expect(await ask("/api/commands/file.resolve", { blockId, keep: "both", hash })).toMatchObject({ status: 200 });
  const written = readFileSync(join(folder, "a.md"), "utf8");
  expect(written).toContain("ours");
  expect(written).toContain("theirs");
  expect(await ask("/api/commands/file.resolve", { blockId, keep: "both", hash })).toMatchObject({ status: 409 });
  expect(await ask("/api/commands/file.open", { path: "../a.md" })).toMatchObject({ status: 403 });
});

test("file.list reports a missing folder, and file.open explains how to give one", async () => {
  const bare = await startTestServer({ welcome: false });
  expect(await ask("/api/commands/file.list", {}, bare)).toMatchObject({ status: 200, folder: null, files: [] });
  expect(await ask("/api/commands/file.open", { path: "a.md" }, bare)).toMatchObject({
    status: 404,
    error: { message: expect.stringContaining("--workspace") },
  });
  await bare.close();
});

test("F-47 a message added without asking a model is stored once", async () => {
  const { rootId } = await ask("/api/commands/conversation.create", {});
  const message = { rootId, parentNodeId: null, text: "Keep this in mind." };
  const first = await ask("/api/commands/message.add", message);
  expect(await ask("/api/commands/message.add", message)).toEqual(first);
  const response = await fetch(`${server.url}/api/conversations/${String(rootId)}`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  expect(await response.json()).toMatchObject({
    nodes: [{ id: first["nodeId"], message: { role: "user" } }],
    runs: [],
  });
});
