import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HeddleClient } from "../../../client/base/types.ts";
import type { PersonActor } from "../../../core/base/actor.ts";
import { must } from "../../../core/base/assert.ts";
import type { ActorId } from "../../../core/base/ids.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { connectTestClient } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { connectAgent } from "./mcp.test-support.ts";

const closing: (() => unknown)[] = [];
let folder: string;
let server: TestServer;
let owner: HeddleClient;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-mcp-files-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "plain.md"), "one\n");
  server = await startTestServer({ welcome: false, filesFolder: folder });
  closing.push(() => server.close());
  owner = connectTestClient(server, { name: "Ada" });
  closing.push(() => owner.close());
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

test.each([
  ["the workspace's token", ".envrc"],
  ["the workspace's token", ".husky/pre-commit"],
  ["a token for the folder", ".mcp.json"],
  ["a token for the folder", "docs/AGENTS.md"],
])("58: with %s a program writes %s by no tool of /mcp; the refusal says what to do", async (holder, path) => {
  const place = join(folder, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, "one\n");
  const folderId = must(server.workspace.folders.defaultId, "the folder");
  const open = async (name: string) => accept(await owner.call("file.open", { folderId, path: name })).blockId;
  const [block, plain] = [await open(path), await open("plain.md")];
  const { hub, replicas } = server.workspace;
  const ada: PersonActor = { type: "person", id: "ada" as ActorId, name: "Ada" };
  const author = server.workspace.author(ada, await replicas.forClient("page", ada));
  accept(await hub.editor.setPolicy(author, block, "live"));
  const scope = { folderIds: [folderId], rootIds: [], canvasIds: [] };
  const hash = createHash("sha256").update("narrow").digest("hex");
  accept(await owner.call("token.create", { name: "narrow", hash, rights: ["read", "write"], scope }));
  const token = holder === "the workspace's token" ? server.token : "narrow";
  const agent = await connectAgent({ url: server.url, token });
  closing.push(() => agent.close());
  const { lease_id: lease } = await agent.call("canvas_check_out", { canvas_id: block });
  expect(lease).toBeTypeOf("string");
  const diff = "@@ -1 +1 @@\n-one\n+two\n";
  const to = { path: `new/${path}` };
  const ways = [
    ["canvas_edit", { lease_id: lease, edits: [{ search: "one", text: "two" }] }],
    ["canvas_apply_patch", { lease_id: lease, patch: diff }],
    ["canvas.apply_patch", { lease_id: lease, patch: diff }],
    ["block_edit", { block_id: block, operations: [{ op: "insert", line: 1, content: "two" }] }],
    ["block_append", { block_id: block, text: "two\n" }],
    ["block_splice", { block_id: block, start: 0, delete_count: 0, insert: "two" }],
    ["block_apply_patch", { block_id: block, patch: diff }],
    ["block.apply_patch", { block_id: block, patch: diff }],
    ["block_undo", { block_id: block }],
    ["block_redo", { block_id: block }],
    ["block_update", { block_id: block, metadata: { path: "b.md" } }],
    ["block_update", { block_id: plain, metadata: to }],
    ["block_create", { role: "assistant", kind: "file", content: "two\n", metadata: to }],
    ["block_delete", { block_id: block }],
    ["block_restore", { block_id: block }],
  ] as const;
  for (const [name, parameters] of ways) {
    const answer = await agent.call(name, parameters);
    expect([name, answer]).toMatchObject([
      name,
      { error: { code: "FORBIDDEN", details: { reason: "run-by-others" } } },
    ]);
    expect(JSON.stringify(answer)).toContain("Nothing was changed. Show the person the text");
  }
  expect(readFileSync(place, "utf8")).toBe("one\n");
  expect(existsSync(join(folder, "new"))).toBe(false);
  // A comment is no text of the file, and reading is free.
  expect(await agent.code("comment_add", { canvas_id: block, quote: "one", text: "Why one?" })).toBe("ok");
  expect(await agent.code("canvas_read_all", { lease_id: lease })).toBe("ok");
  expect(await agent.code("block_append", { block_id: plain, text: "two\n" })).toBe("ok");
});
