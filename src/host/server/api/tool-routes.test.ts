import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HeddleClient } from "../../../client/base/types.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { connectTestClient } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

const closing: (() => unknown)[] = [];
let server: TestServer;
let owner: HeddleClient;
let canvasId: BlockId;

beforeEach(async () => {
  server = await startTestServer({ welcome: false });
  closing.push(() => server.close());
  owner = connectTestClient(server, { name: "Ada" });
  closing.push(() => owner.close());
  ({ canvasId } = accept(await owner.call("canvas.create", { title: "Looms", text: "warp\nweft\n" })));
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- what the wire brought, looked at field by field
  readonly json: any;
}

async function run(
  name: string,
  parameters: object,
  { token = server.token, ...headers }: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${server.url}/api/tools/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(parameters),
  });
  return { status: response.status, json: await response.json() };
}

async function makeToken(secret: string, rights: readonly ("read" | "write")[]): Promise<void> {
  const hash = createHash("sha256").update(secret).digest("hex");
  accept(await owner.call("token.create", { name: secret, hash, rights: [...rights] }));
}

const patch = "@@ -1,2 +1,2 @@\n-warp\n+warps\n weft\n";

test("GET /api/tools lists every tool with its schema, the same each time", async () => {
  const list = async () =>
    (await fetch(`${server.url}/api/tools`, { headers: { authorization: `Bearer ${server.token}` } })).text();
  const text = await list();
  const { tools } = JSON.parse(text) as {
    tools: { name: string; inputSchema: { type: string; required?: string[] } }[];
  };
  const names = tools.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of [
    "block_edit",
    "block_sync",
    "block_subscribe",
    "kernel_search",
    "canvas_check_out",
    "canvas_apply_patch",
  ]) {
    expect(names).toContain(name);
  }
  for (const { inputSchema } of tools) expect(inputSchema.type).toBe("object");
  expect(tools.find(({ name }) => name === "canvas_apply_patch")?.inputSchema.required).toContain("lease_id");
  expect(await list()).toBe(text);
});

test("a program edits a canvas over HTTP with a lease handle, and blame names it", async () => {
  const out = await run("canvas.check_out", { canvas_id: canvasId }, { "heddle-client": "Shuttle" });
  expect(out).toMatchObject({ status: 200, json: { canvas_id: canvasId, policy: "live" } });
  expect(out.json.expires_in_ms).toBeGreaterThan(100_000);
  const done = await run("canvas_apply_patch", { lease_id: out.json.lease_id, patch }, { "heddle-client": "Shuttle" });
  expect(done).toMatchObject({ status: 200, json: { applied_hunks: 1 } });
  const [change] = await server.workspace.store.changes({ blockId: canvasId, afterVersion: 1 });
  expect(change?.actor).toMatchObject({
    name: "Shuttle (unverified)",
    outside: { via: "http", client: "Shuttle", onBehalfOf: "Tester" },
  });
  expect(await run("canvas_check_in", { lease_id: out.json.lease_id })).toMatchObject({ json: { released: true } });
});

test("a lease handle is good only with its token, and ends when a person takes control", async () => {
  await makeToken("first", ["read", "write"]);
  await makeToken("second", ["read", "write"]);
  await makeToken("reader", ["read"]);
  const out = await run("canvas_check_out", { canvas_id: canvasId }, { token: "first" });
  const lease = { lease_id: out.json.lease_id };
  expect(await run("canvas_read_all", lease, { token: "second" })).toMatchObject({
    json: { error: { code: "LOCK_NOT_OWNED" } },
  });
  expect(await run("canvas_apply_patch", { ...lease, patch }, { token: "reader" })).toMatchObject({
    status: 403,
    json: { error: { code: "FORBIDDEN" } },
  });
  expect(await run("block_read", { block_id: canvasId }, { token: "first" })).toMatchObject({ status: 403 });
  accept(await owner.call("canvas.take-control", { canvasId }));
  expect(await run("canvas_apply_patch", { ...lease, patch }, { token: "first" })).toMatchObject({
    json: { error: { code: "STALE_EPOCH" } },
  });
  expect(await run("block_read", { block_id: canvasId, line_numbers: false })).toMatchObject({
    json: { content: "warp\nweft" },
  });
});

test("a token for one canvas works there alone: another's id does not exist for it", async () => {
  const { canvasId: other } = accept(await owner.call("canvas.create", { title: "Secret", text: "hidden\n" }));
  const hash = createHash("sha256").update("narrow").digest("hex");
  const scope = { folderIds: [], rootIds: [], canvasIds: [canvasId] };
  accept(await owner.call("token.create", { name: "narrow", hash, rights: ["read", "write"], scope }));
  const narrow = { token: "narrow" };
  expect((await run("canvas_check_out", { canvas_id: canvasId }, narrow)).status).toBe(200);
  const refused = await run("canvas_check_out", { canvas_id: other }, narrow);
  const unknown = await run("canvas_check_out", { canvas_id: "doc_nobody/1/0" }, narrow);
  expect([refused.status, refused.json.error.code]).toEqual([unknown.status, unknown.json.error.code]);
  expect(refused.json.error.code).toBe("BLOCK_NOT_FOUND");
  expect(JSON.stringify(refused.json)).not.toMatch(/Secret|hidden/);
});
