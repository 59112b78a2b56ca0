import { beforeEach, expect, test } from "vitest";
import type { HeddleClient } from "../../../client/base/types.ts";
import type { BlockId, RootId } from "../../../core/base/ids.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { until, connectTestClient } from "../../../testing/test-client.ts";
import type { TestServer } from "../../../testing/test-server.ts";
import { serverForEachTest } from "../server-for-each-test.test-support.ts";
import { connectAgent, type OutsideAgent } from "./mcp.test-support.ts";

const { opened, closeAfter, makeToken } = serverForEachTest();
let server: TestServer;
let owner: HeddleClient;
let canvasId: BlockId;
let otherId: BlockId;
let rootId: RootId;

beforeEach(async () => {
  ({ server, owner, canvasId, rootId } = opened());
  ({ canvasId: otherId } = accept(await owner.call("canvas.create", { title: "Secret", text: "warp and weft\n" })));
  accept(await owner.call("message.add", { rootId, parentNodeId: null, text: "warp" }));
});

async function agent(token: string): Promise<OutsideAgent> {
  const connected = await connectAgent({ url: server.url, token });
  closeAfter(() => connected.close());
  return connected;
}

test("I-01 I-02 a lease id is good only with the token that took it, and the refusal names its holder", async () => {
  await makeToken("first");
  await makeToken("second");
  const [first, second] = [await agent("first"), await agent("second")];
  const { lease_id: lease } = await first.call("canvas_check_out", { canvas_id: canvasId });
  const refused = await second.call("canvas_check_out", { canvas_id: canvasId });
  expect(refused).toMatchObject({ error: { code: "LOCK_NOT_AVAILABLE" } });
  expect(JSON.stringify(refused)).toContain("first");
  expect(await second.code("canvas_read_all", { lease_id: lease })).toBe("LOCK_NOT_OWNED");
  expect(await second.code("canvas_check_in", { lease_id: lease })).toBe("LOCK_NOT_OWNED");
  // Control is taken of one's own token's leases alone.
  expect(await second.code("canvas_take_control", { canvas_id: canvasId })).toBe("LOCK_NOT_OWNED");
  expect(await first.code("canvas_read_all", { lease_id: lease })).toBe("ok");
  expect(await first.code("canvas_take_control", { canvas_id: canvasId })).toBe("ok");
  expect(await first.code("canvas_read_all", { lease_id: lease })).toBe("STALE_EPOCH");
});

test("I-06 a token for one canvas lists, searches and reads nothing else; a guessed id does not exist", async () => {
  await makeToken("narrow", { scope: { canvasIds: [canvasId] } });
  const narrow = await agent("narrow");
  expect(await narrow.call("document_list")).toMatchObject({ documents: [{ canvas_id: canvasId }] });
  expect(await narrow.call("conversation_list")).toEqual({ conversations: [] });
  const blocks = { words: "warp", in: "blocks" };
  // The word index follows with a delay.
  await expect
    .poll(() => owner.call("search.words", blocks as never))
    .toMatchObject({ value: { matches: { length: 2 } } });
  expect(await narrow.call("search_words", blocks)).toMatchObject({ matches: [{ id: canvasId }] });
  expect(await narrow.call("search_words", { words: "warp", in: "messages" })).toEqual({ matches: [] });
  expect(await narrow.call("search_all", { words: "warp" })).toMatchObject({ finds: [{ id: canvasId }] });
  const all = ["file", "text"];
  expect(JSON.stringify(await narrow.call("kernel_search", { query: "warp", kinds: all }))).not.toMatch(/weft|Talk/);
  expect(JSON.stringify(await narrow.call("block_list"))).not.toContain(otherId);
  const [said] = await server.workspace.store.nodes(rootId);
  const guesses = [
    ["canvas_check_out", { canvas_id: otherId }, "BLOCK_NOT_FOUND"],
    ["open_canvas", { canvas_id: otherId }, "BLOCK_NOT_FOUND"],
    ["canvas_take_control", { canvas_id: otherId }, "BLOCK_NOT_FOUND"],
    ["block_read", { block_id: otherId }, "BLOCK_NOT_FOUND"],
    ["block_delete", { block_id: otherId }, "BLOCK_NOT_FOUND"],
    ["block_restore", { block_id: otherId }, "BLOCK_NOT_FOUND"],
    ["conversation_read", { conversation_id: rootId }, "ROOT_NOT_FOUND"],
    ["conversation_read", { node_id: said?.id }, "NODE_NOT_FOUND"],
    ["conversation_append", { parent_id: said?.id, content: "x" }, "NODE_NOT_FOUND"],
    ["canvas_check_out", { conversation_id: rootId }, "ROOT_NOT_FOUND"],
    ["comment_list", { canvas_id: otherId }, "BLOCK_NOT_FOUND"],
    ["comment_add", { canvas_id: otherId, text: "x" }, "BLOCK_NOT_FOUND"],
    ["document_create", { title: "More" }, "FORBIDDEN"],
    ["block_create", { role: "assistant", kind: "file", content: "x" }, "FORBIDDEN"],
    ["conversation_ask", { parent_id: rootId, text: "x" }, "FORBIDDEN"],
  ] as const;
  for (const [name, parameters, code] of guesses) {
    expect([name, await narrow.code(name, parameters)]).toEqual([name, code]);
  }
  expect(await server.workspace.canvases()).toHaveLength(2);
  expect(accept(await server.workspace.hub.reader.read(otherId)).text).toBe("warp and weft\n");
});

test("a token for a conversation reaches its messages and its canvas", async () => {
  accept(await owner.call("conversation.set-canvas", { rootId, canvasId }));
  await makeToken("session", { scope: { rootIds: [rootId] } });
  const session = await agent("session");
  expect(await session.call("canvas_check_out", { conversation_id: rootId })).toMatchObject({ canvas_id: canvasId });
  expect(await session.call("conversation_read", { conversation_id: rootId })).toMatchObject({
    messages: [{ content: [{ text: "warp" }] }],
  });
  expect(await session.code("open_canvas", { canvas_id: otherId })).toBe("BLOCK_NOT_FOUND");
  // The word index follows with a delay.
  const said = { words: "warp", in: "messages" };
  await expect.poll(() => session.call("search_words", said)).toMatchObject({ matches: [{ root_id: rootId }] });
});

test("a token does only what its rights allow, through every door", async () => {
  await makeToken("reader", { rights: ["read"] });
  const reader = await agent("reader");
  expect(await reader.code("document_create", { title: "X" })).toBe("FORBIDDEN");
  expect(await reader.code("conversation_append", { parent_id: rootId, content: "X" })).toBe("FORBIDDEN");
  expect(await reader.code("open_canvas", { canvas_id: canvasId })).toBe("ok");
  const post = async (path: string, body: object): Promise<number> =>
    (
      await fetch(server.url + path, {
        method: "POST",
        headers: { authorization: "Bearer reader", "content-type": "application/json" },
        body: JSON.stringify(body),
      })
    ).status;
  expect(await post("/api/commands/search.words", { words: "warp", in: "blocks" })).toBe(200);
  expect(await post("/api/commands/message.add", { rootId, parentNodeId: null, text: "x" })).toBe(403);
  expect(await post("/api/commands/token.list", {})).toBe(403);
  expect(await post("/api/commands/canvas.set-policy", { canvasId, policy: "live" })).toBe(403);
  expect(await post("/api/tools/block_read", { block_id: canvasId })).toBe(403);
  const page = connectTestClient({ url: server.url, token: "reader" });
  closeAfter(() => page.close());
  expect(await page.call("canvas.create", { title: "X" })).toMatchObject({ error: { code: "FORBIDDEN" } });
  const text = page.openText(canvasId);
  await until(text.header, (header) => header !== null);
  expect(text.text()).toBe("warp\n");
});

test("I-07 a revoked token ends its connections, calls and leases at once; the late commit is refused", async () => {
  const tokenId = await makeToken("short", { rights: ["read", "write", "run"] });
  const short = await agent("short");
  const { lease_id: lease, canvas_epoch: epoch } = await short.call("canvas_check_out", { canvas_id: canvasId });
  const page = connectTestClient({ url: server.url, token: "short" });
  closeAfter(() => page.close());
  await until(page.state, ({ type }) => type === "live");
  const headers = { authorization: "Bearer short", "heddle-session": "s1" };
  const staying = await fetch(`${server.url}/mcp/session`, { method: "POST", headers });
  const from = performance.now();
  const ended = staying.text().catch(() => "cut");
  accept(await owner.call("token.revoke", { tokenId }));
  await ended;
  await until(page.state, ({ type }) => type === "refused");
  expect(performance.now() - from).toBeLessThan(1_000);
  const patch = "@@ -1,1 +1,1 @@\n-warp\n+WARP\n";
  await expect(short.call("canvas_apply_patch", { lease_id: lease, patch })).rejects.toThrow();
  expect(server.workspace.leases.status(canvasId)).toMatchObject({ epoch: Number(epoch) + 1, held: null });
  expect(accept(await server.workspace.hub.reader.read(canvasId)).text).toBe("warp\n");
});

test("an expired token opens nothing, and its leases end with it", async () => {
  await makeToken("brief", { expiresAt: Date.now() + 400 });
  const brief = await agent("brief");
  await brief.call("canvas_check_out", { canvas_id: canvasId });
  const ended = new Promise((resolve) => server.workspace.leases.onChange(resolve));
  expect(await ended).toMatchObject({ canvasId, held: null });
  await expect(brief.call("document_list")).rejects.toThrow();
});
