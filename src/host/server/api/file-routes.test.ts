import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { git } from "../../../adapters/files/git.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let folder: string;
let server: TestServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-file-routes-"));
  writeFileSync(join(folder, "a.md"), "one\n");
  server = await startTestServer({ welcome: false, filesFolder: folder });
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

describe("files over HTTP", () => {
  test("are listed, opened, edited by the block tools and committed", async () => {
    await git(folder, ["init", "-q", "-b", "main"]);
    expect(await ask("GET", "/api/files?prefix=a")).toMatchObject({
      status: 200,
      files: [{ path: "a.md", blockId: null, dirty: false, conflict: false }],
    });
    const { block_id: id } = await ask("POST", "/api/files/open", { path: "a.md" });
    await ask("POST", "/api/tools/block_splice", { block_id: id, offset: 0, delete_count: 3, insert: "two" });
    expect(await ask("GET", "/api/files?prefix=a")).toMatchObject({ files: [{ blockId: id, dirty: true }] });
    const committed = await ask("POST", "/api/files/commit", { branch: "heddle/main", message: "Say two" });
    expect(committed).toMatchObject({ status: 200, commit: expect.stringMatching(/^[0-9a-f]{40}$/), left_out: [] });
    expect(await git(folder, ["show", "heddle/main:a.md"])).toBe("two\n");
    expect(await git(folder, ["log", "-1", "--format=%an: %s", "heddle/main"])).toBe("Tester: Say two\n");
    expect(readFileSync(join(folder, "a.md"), "utf8")).toBe("two\n");
  });

  test("show a conflict, and end it as requested", async () => {
    const { block_id: id } = await ask("POST", "/api/files/open", { path: "a.md" });
    await ask("POST", "/api/tools/block_splice", { block_id: id, offset: 0, delete_count: 3, insert: "ours" });
    writeFileSync(join(folder, "a.md"), "theirs\n");
    await server.workspace.folders.flush();
    expect(await ask("GET", "/api/files")).toMatchObject({ files: [{ conflict: true }] });
    const { metadata } = await ask("POST", "/api/tools/block_read", { block_id: id });
    const hash = createHash("sha256").update("theirs\n").digest("hex");
    expect(metadata).toMatchObject({ conflict: { hash } });
    const resolve = (keep: string, seen: unknown) =>
      ask("POST", "/api/files/resolve", { block_id: id, keep, hash: seen });
    expect(await resolve("mine", hash)).toMatchObject({ status: 400 });
    expect(await resolve("theirs", undefined)).toMatchObject({ status: 400 });
    expect(await resolve("theirs", "other")).toMatchObject({ status: 409, error: { code: "FILE_CHANGED" } });
    expect(await resolve("theirs", hash)).toMatchObject({ status: 200 });
    expect(await ask("POST", "/api/tools/block_read", { block_id: id, line_numbers: false })).toMatchObject({
      content: "theirs",
    });
    expect(await resolve("theirs", hash)).toMatchObject({ status: 409, error: { code: "CONFLICT" } });
  });

  test.each([
    ["POST", "/api/files/open", { path: "../secret" }, 403],
    ["POST", "/api/files/open", { path: "none.md" }, 404],
    ["POST", "/api/files/open", {}, 400],
    ["POST", "/api/files/commit", { branch: "heddle/main", message: "no repository" }, 500],
    ["POST", "/api/files/commit", { branch: "", message: "x" }, 400],
  ])("%s %s %j is refused", async (method, path, body, status) => {
    expect(await ask(method, path, body)).toMatchObject({ status, error: { message: expect.any(String) } });
  });

  test("a workspace without a folder explains how to give it one", async () => {
    const bare = await startTestServer({ welcome: false });
    const headers = { authorization: `Bearer ${bare.token}` };
    const reply = await fetch(`${bare.url}/api/files`, { headers });
    expect(await reply.text()).toContain("--workspace");
    await bare.close();
  });
});
