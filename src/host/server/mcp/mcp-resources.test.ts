import { beforeEach, expect, test } from "vitest";
import type { HeddleClient } from "../../../client/base/types.ts";
import type { BlockId, RootId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { until } from "../../../testing/test-client.ts";
import type { TestServer } from "../../../testing/test-server.ts";
import { serverForEachTest } from "../server-for-each-test.test-support.ts";
import { connectAgent, post, type OutsideAgent } from "./mcp.test-support.ts";
import { readResourceUri } from "./resource-uri.ts";

const { opened, closeAfter, makeToken } = serverForEachTest();
let server: TestServer;
let owner: HeddleClient;
let canvasId: BlockId;
let rootId: RootId;

beforeEach(async () => {
  ({ server, owner, canvasId, rootId } = opened());
  accept(await owner.call("message.add", { rootId, parentNodeId: null, text: "weft" }));
});

async function agent(era: "auto" | "legacy" = "auto"): Promise<OutsideAgent> {
  const connected = await connectAgent(server, { era });
  closeAfter(() => connected.close());
  return connected;
}

async function scopedToken(secret: string, canvasIds: readonly BlockId[]): Promise<void> {
  await makeToken(secret, { rights: ["read"], scope: { canvasIds: [...canvasIds], folderIds: [], rootIds: [] } });
}

const documentUri = (id: string): string => `heddle://document/${encodeURIComponent(id)}`;

test.each([
  ["heddle://document/doc_1%2F1%2F0", { type: "document", id: "doc_1/1/0", version: null }],
  ["heddle://document/doc_1/1/0/version/3", { type: "document", id: "doc_1/1/0", version: 3 }],
  ["heddle://conversation/root_1/node/node_2", { type: "conversation", id: "root_1", nodeId: "node_2" }],
  ["heddle://feed?since=12", { type: "feed", since: 12 }],
  ["heddle://document/%", null],
  ["heddle://feed/x", null],
  ["file:///etc/passwd", null],
])("readResourceUri reads %s", (uri, expected) => {
  expect(readResourceUri(uri)).toEqual(expected);
});

test("documents, their versions, conversations and the feed are read as resources, and ids are completed by title", async () => {
  const { client } = await agent();
  const text = owner.openText(canvasId);
  await until(text.header, (header) => header !== null);
  text.edit([{ from: 0, to: 0, insert: "the " }]);
  await until(text.unconfirmed, (count) => count === 0);
  const { resources } = await client.listResources();
  expect(resources).toMatchObject([
    { uri: documentUri(canvasId), title: "Looms" },
    { uri: `heddle://conversation/${rootId}`, title: "Talk" },
  ]);
  const read = async (uri: string): Promise<string> => {
    const [content] = (await client.readResource({ uri })).contents;
    return content !== undefined && "text" in content ? content.text : "";
  };
  expect(await read(documentUri(canvasId))).toBe("the warp\n");
  expect(await read(`heddle://document/${canvasId}/version/1`)).toBe("warp\n");
  expect(JSON.parse(await read(`heddle://conversation/${rootId}`))).toMatchObject({
    messages: [{ content: [{ text: "weft" }] }],
  });
  const feed = JSON.parse(await read("heddle://feed")) as { readonly next_since: number };
  expect(feed).toMatchObject({ documents: [{ version: 2 }], conversations: [{}] });
  expect(JSON.parse(await read(`heddle://feed?since=${feed.next_since}`))).toMatchObject({ documents: [] });
  await expect(client.readResource({ uri: "heddle://document/nothing" })).rejects.toMatchObject({
    code: -32_602,
    data: { uri: "heddle://document/nothing" },
  });
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates).toHaveLength(5);
  const { completion } = await client.complete({
    ref: { type: "ref/resource", uri: "heddle://document/{id}" },
    argument: { name: "id", value: "loo" },
  });
  expect(completion.values).toEqual([canvasId]);
});

test("a conversation that goes to the trash while it is read is no resource", async () => {
  const { client } = await agent();
  const { conversations } = server.workspace;
  const view = conversations.view.bind(conversations);
  conversations.view = async (id) => {
    accept(await owner.call("conversation.delete", { rootId }));
    return view(id);
  };
  const uri = `heddle://conversation/${rootId}`;
  await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
});

test("the workspace's named prompts are prompts", async () => {
  accept(await owner.call("prompt.put", { name: "terse", text: "Be brief." }));
  const { client } = await agent();
  expect((await client.listPrompts()).prompts).toMatchObject([{ name: "terse", description: "Be brief." }]);
  expect(await client.getPrompt({ name: "terse" })).toMatchObject({
    messages: [{ role: "user", content: { type: "text", text: "Be brief." } }],
  });
  await expect(client.getPrompt({ name: "nothing" })).rejects.toMatchObject({ code: -32_602 });
});

interface Listening {
  readonly messages: { readonly method?: string; readonly params?: JsonObject }[];
  next(count: number): Promise<void>;
  readonly ended: Promise<void>;
  stop(): void;
}

/** Opens a stream of notices and gathers its messages. */
async function listen(uris: readonly string[], token = server.token): Promise<Listening> {
  const controller = new AbortController();
  closeAfter(() => controller.abort());
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { notifications: { resourceSubscriptions: uris }, _meta };
  const response = await post(
    { url: server.url, token },
    { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params },
    { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" },
    controller.signal,
  );
  const messages: Listening["messages"] = [];
  let wake: () => void = () => {};
  const ended = (async () => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data: ")) messages.push(JSON.parse(line.slice(6)) as never);
      wake();
    }
  })().catch(() => {});
  return {
    messages,
    ended,
    stop: () => controller.abort(),
    async next(count) {
      while (messages.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

test("I-23 a stream grants only the addresses that its token reaches", async () => {
  await scopedToken("narrow", [canvasId]);
  const uris = [documentUri(canvasId), `heddle://conversation/${rootId}`];
  const stream = await listen(uris, "narrow");
  await stream.next(1);
  expect(stream.messages[0]).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
  expect(JSON.stringify(stream.messages[0])).toContain(encodeURIComponent(canvasId));
  expect(JSON.stringify(stream.messages[0])).not.toContain(rootId);
});

test("I-24 I-07 many edits give few notices, the last after the last edit; the stream ends with its token", async () => {
  await scopedToken("watcher", [canvasId]);
  const stream = await listen([documentUri(canvasId)], "watcher");
  await stream.next(1);
  const text = owner.openText(canvasId);
  await until(text.header, (header) => header !== null);
  const from = performance.now();
  for (let count = 0; count < 200; count += 1) {
    text.edit([{ from: 0, to: 0, insert: "x" }]);
    await until(text.unconfirmed, (left) => left === 0);
  }
  const tookMs = performance.now() - from;
  const during = stream.messages.length;
  expect(during - 1).toBeLessThanOrEqual(1 + Math.ceil(tookMs / 300));
  await stream.next(Math.max(during, 3));
  expect(stream.messages.at(-1)).toMatchObject({
    method: "notifications/resources/updated",
    params: { uri: documentUri(canvasId), _meta: { "io.modelcontextprotocol/subscriptionId": 1 } },
  });
  const [token] = accept(await owner.call("token.list", {})).tokens;
  accept(await owner.call("token.revoke", { tokenId: token?.tokenId ?? "" }));
  await stream.ended;
});

test("a conversation's stream reports a new message", async () => {
  const stream = await listen([`heddle://conversation/${rootId}`]);
  await stream.next(1);
  await expect
    .poll(async () => {
      accept(
        await owner.call("message.add", {
          rootId,
          parentNodeId: null,
          text: `${stream.messages.length}${Math.random()}`,
        }),
      );
      return stream.messages.length;
    })
    .toBeGreaterThan(1);
});

test("I-28 an older client that subscribes is refused by type, and goes on", async () => {
  const { client } = await agent("legacy");
  await expect(client.subscribeResource({ uri: documentUri(canvasId) })).rejects.toThrow();
  const message = { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: documentUri(canvasId) } };
  const answer = await post(server, message, { "mcp-protocol-version": "2025-11-25" });
  expect(await answer.text()).toContain("-32601");
  expect((await client.listTools()).tools.length).toBeGreaterThan(30);
});

test("I-31 open_canvas names its view, which reaches Heddle through its host alone; other hosts get text", async () => {
  const { client } = await agent();
  const tool = (await client.listTools()).tools.find(({ name }) => name === "open_canvas");
  expect(tool?._meta).toEqual({ ui: { resourceUri: "ui://heddle/canvas" }, "ui/resourceUri": "ui://heddle/canvas" });
  const [view] = (await client.readResource({ uri: "ui://heddle/canvas" })).contents;
  expect(view).toMatchObject({ mimeType: "text/html;profile=mcp-app", _meta: { ui: { csp: { connectDomains: [] } } } });
  const page = view !== undefined && "text" in view ? view.text : "";
  expect(page).not.toMatch(/src=|href=|https?:|fetch\(|WebSocket|innerHTML|test-token/);
  const text = owner.openText(canvasId);
  await until(text.header, (header) => header !== null);
  const answer = await client.callTool({ name: "open_canvas", arguments: { canvas_id: canvasId } });
  expect(JSON.stringify(answer.content)).toContain("warp");
  expect(answer.structuredContent).toMatchObject({ holder: null, people: [owner.actor.get()?.name], suggestions: [] });
});
