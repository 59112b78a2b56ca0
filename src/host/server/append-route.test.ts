import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ForestNode } from "../../core/forest/types.ts";
import { asking, assistant, result, user } from "../../core/message/message.test-support.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let rootId = "";

beforeAll(async () => {
  server = await startTestServer({ welcome: false });
});
afterAll(() => server.close());
beforeEach(async () => {
  const created = await ask("POST", "/api/commands/conversation.create", {});
  ({ rootId } = created.json as { rootId: string });
});

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> {
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await response.json() };
}

/** The answer to an append: the id that it names, or the code of the refusal. */
async function post(parentId: string, body: unknown): Promise<string> {
  const { status, json } = await ask("POST", `/api/nodes/${encodeURIComponent(parentId)}/append`, body);
  return status === 200 ? (json as { id: string }).id : (json as { code: string }).code;
}

function append(parentId: string, ...messages: readonly unknown[]): Promise<string> {
  return post(parentId, { messages });
}

async function nodes(): Promise<readonly ForestNode[]> {
  return (await ask("GET", `/api/conversations/${rootId}`)).json as never as readonly ForestNode[];
}

describe("appending over HTTP", () => {
  test("F-02 nothing answers the parent itself", async () => {
    expect(await append(rootId)).toBe(rootId);
    const first = await append(rootId, user("u"));
    expect(await append(first)).toBe(first);
  });
});
