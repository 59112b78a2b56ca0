import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { routes } from "../api/routes.ts";

let server: TestServer;
const problems: string[] = [];

beforeAll(async () => {
  const note = (event: string, facts?: unknown): void => void problems.push(`${event} ${JSON.stringify(facts)}`);
  server = await startTestServer({ welcome: false, logger: { info: () => {}, warn: () => {}, error: note } });
});
afterAll(() => server.close());

const bodies: readonly unknown[] = [
  {},
  [],
  null,
  7,
  "text",
  { content: null },
  { content: [null] },
  { content: [{ type: "text" }] },
  { content: "half \ud800" },
  { content: "x".repeat(400_001) },
  { messages: {} },
  { messages: [null, 1, "x", [], { role: "user" }, { role: "assistant", content: null, tool_calls: [{}] }] },
  { messages: [{ role: "tool", tool_call_id: "", content: [] }], match: "exact" },
  { at: -1 },
  { at: 1e308 },
  { n: 1e9, temperature: null, maxTokens: "all" },
  { tags: [1], customData: "x" },
  { tags: Array.from({ length: 51 }, (_, at) => `t${at}`) },
  { title: "", nodeId: "x" },
  { title: "x".repeat(201), rootId: 1 },
  { title: "x", nodeId: "../../etc", newTitle: {} },
  { name: { toString: 1 } },
  { name: "x", n: -1 },
  { systemPrompt: [], model: "x/y" },
  { __proto__: null, constructor: { prototype: {} } },
];
const queries = [
  "",
  "?from=%00",
  "?words=%E0%A4%A",
  "?words=%22*%27)--&limit=1",
  "?root=x&format=exe",
  "?reparent=2",
  "?title=",
  "?of=all&in=x",
];

test("every address answers or refuses random input without an internal error", async () => {
  const created = await fetch(`${server.url}/api/roots`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { id } = (await created.json()) as { id: string };
  for (const route of routes) {
    for (const target of [id, "node_none", "x"]) {
      const path = route.path.replaceAll(/:\w+/g, target);
      const takesBody = route.method !== "GET" && route.method !== "DELETE";
      const asked = takesBody
        ? bodies.map((body) => ({ query: "", body }))
        : queries.map((query) => ({ query, body: undefined }));
      for (const { query, body } of asked) {
        const response = await fetch(`${server.url}${path}${query}`, {
          method: route.method,
          headers: {
            authorization: `Bearer ${server.token}`,
            ...(takesBody ? { "content-type": "application/json" } : {}),
          },
          ...(takesBody ? { body: JSON.stringify(body) } : {}),
          signal: AbortSignal.timeout(5_000),
        });
        await response.body?.cancel();
        expect([route.method, path, query, body, response.status < 500 || response.status === 507]).toEqual([
          route.method,
          path,
          query,
          body,
          true,
        ]);
      }
    }
  }
  expect(problems).toEqual([]);
});
