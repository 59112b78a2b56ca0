import { afterEach, expect, test } from "vitest";
import type { NodeId, RootId } from "../../core/base/ids.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer | null = null;
afterEach(() => server?.close());

/** Starts a server whose forest has many messages, in chains of ten. */
async function grown(store: "memory" | "sqlite", count: number): Promise<TestServer> {
  const started = await startTestServer({ welcome: false, store });
  const actor = { type: "system", id: "test" as never, name: "Test" } as const;
  const root = await started.workspace.conversations.create({});
  if (!root.ok) throw new Error(root.error.code);
  const rootId: RootId = root.value.id;
  for (let from = 0; from < count; from += 1_000) {
    const writes = Array.from({ length: 1_000 }, (_, index): StoreWrite => {
      const at = from + index;
      const node = {
        id: `node_${at}` as NodeId,
        rootId,
        parentId: at % 10 === 0 ? null : (`node_${at - 1}` as NodeId),
        prefixHash: String(at),
        message: { role: "user", content: [{ type: "text", text: "a secret" }] },
        actor,
        runId: null,
        turnId: null,
        usage: null,
        createdAt: at,
      } as const;
      return { type: "put-node", node };
    });
    await started.workspace.store.commit(writes);
  }
  return started;
}

/** Counts how often other work ran before this work was done. */
async function tasksDuring(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  let going = true;
  const tick = (): void => {
    turns += 1;
    if (going) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  going = false;
  return turns;
}

test.each(["memory", "sqlite"] as const)(
  "F-46 an outline of 20,000 messages (%s) has no text, is sent compressed or not, and lets other work run meanwhile",
  async (store) => {
    server = await grown(store, 20_000);
    const { url, token } = server;
    for (const coding of ["gzip", "identity"]) {
      const turns = await tasksDuring(async () => {
        const headers = { authorization: `Bearer ${token}`, "accept-encoding": coding };
        const response = await fetch(`${url}/api/forest/outline`, { headers });
        expect(response.headers.get("content-encoding")).toBe(coding === "gzip" ? "gzip" : null);
        const text = await response.text();
        expect(text).not.toContain("secret");
        const { nodes } = JSON.parse(text) as { nodes: { id: string; parentId: string | null }[] };
        expect(nodes).toHaveLength(20_000);
        expect(nodes[19_999]).toMatchObject({ id: "node_19999", parentId: "node_19998", role: "user" });
      });
      // At most 500 messages are produced at once.
      expect(turns).toBeGreaterThan(40);
    }
  },
);

test("a reader that disconnects in the middle of a long answer stops it, and the server continues", async () => {
  server = await grown("memory", 20_000);
  const { url, token } = server;
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": "identity" };
  const controller = new AbortController();
  const response = await fetch(`${url}/api/forest/outline`, { headers, signal: controller.signal });
  await response.body?.getReader().read();
  controller.abort();
  const after = await fetch(`${url}/api/roots`, { headers });
  expect(after.status).toBe(200);
});
