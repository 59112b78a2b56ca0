import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RequestId, RootId } from "../../../core/base/ids.ts";
import { connectTestClient } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { accept } from "../../../core/base/result.test-support.ts";

let server: TestServer;
let rootId: RootId;

beforeEach(async () => {
  server = await startTestServer({ welcome: false });
  rootId = (await ask("POST", "/api/commands/conversation.create", {})).body["rootId"] as RootId;
});
afterEach(() => server.close());

async function ask(method: string, path: string, body?: object) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const reused = {
  code: "REQUEST_ID_REUSED",
  message: expect.stringContaining("with its own id"),
  details: { request_id: "r1" },
};

async function questions(): Promise<readonly string[]> {
  const nodes = await server.workspace.store.nodes(rootId);
  return nodes.flatMap(({ message: { role, content } }) => (role === "user" ? [JSON.stringify(content)] : []));
}

describe("C-38 two messages under one request id", () => {
  test("over HTTP: the second is refused and nothing of it is stored", async () => {
    const send = (text: string) =>
      ask("POST", "/api/commands/message.send", { rootId, parentNodeId: null, text, clientRequestId: "r1" });
    const first = await send("one");
    expect(first.status).toBe(200);
    expect(await send("two")).toEqual({ status: 422, body: { error: reused } });
    expect(await send("one")).toEqual(first);
    expect(await questions()).toEqual([expect.stringContaining("one")]);
  });

  test("over a WebSocket: the second is refused and nothing of it is stored", async () => {
    const client = connectTestClient(server, { clientId: "a-page-of-a-test-01" });
    const send = (text: string) =>
      client.call("message.send", { rootId, parentNodeId: null, text, clientRequestId: "r1" as RequestId });
    const first = accept(await send("one"));
    expect(await send("two")).toEqual({ ok: false, error: reused });
    expect(accept(await send("one"))).toEqual(first);
    expect(await questions()).toEqual([expect.stringContaining("one")]);
    client.close();
  });

  test("from two pages, or from a page and a program, are two messages", async () => {
    const message = { rootId, parentNodeId: null, clientRequestId: "r1" as RequestId };
    for (const clientId of ["a-page-of-a-test-01", "a-page-of-a-test-02"]) {
      const client = connectTestClient(server, { clientId });
      accept(await client.call("message.send", { ...message, text: clientId }));
      client.close();
    }
    expect((await ask("POST", "/api/commands/message.send", { ...message, text: "by a program" })).status).toBe(200);
    expect(await questions()).toHaveLength(3);
  });
});

describe("a request id over HTTP applies to every change", () => {
  test("through a route with a body", async () => {
    const append = (content: string) => ask("POST", `/api/nodes/${rootId}/append`, { content, clientRequestId: "r1" });
    const first = await append("one");
    expect(await append("one")).toEqual(first);
    expect(await append("two")).toEqual({ status: 422, body: { error: reused } });
    expect(await questions()).toHaveLength(1);
  });

  test("through a route without a body, in its query", async () => {
    const { id } = (await ask("POST", `/api/nodes/${rootId}/append`, { content: "one" })).body;
    const remove = (node: unknown) => ask("DELETE", `/api/nodes/${String(node)}?clientRequestId=r1`);
    const removed = await remove(id);
    expect(removed).toMatchObject({ status: 200, body: { nodeIds: [id] } });
    expect(await remove(id)).toEqual(removed);
    expect((await remove("node_other")).body).toEqual({ error: reused });
  });

  test("and the same id on another route is refused", async () => {
    await ask("PUT", "/api/presets", { name: "a", clientRequestId: "r1" });
    expect((await ask("PUT", "/api/presets/active", { name: "a", clientRequestId: "r1" })).body).toEqual({
      error: reused,
    });
  });

  test("and must have the form of a request id", async () => {
    const answer = await ask("PUT", "/api/presets", { name: "a", clientRequestId: "not an id" });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "INVALID_PARAMS" } } });
  });
});
