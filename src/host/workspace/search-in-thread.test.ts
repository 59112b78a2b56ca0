import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import type { Store } from "../../core/port/store.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let folder: string;
let store: Store;
let server: TestServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-search-"));
  store = await openSqliteStore({ file: join(folder, "heddle.db") });
  server = await startTestServer({ store, welcome: false });
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
  const reply = await fetch(`${server.url}/api/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await reply.json()) as Record<string, unknown>;
}

async function found(query: string, mode = "literal"): Promise<readonly string[]> {
  const { blocks } = (await post("tools/kernel_search", { query, mode })) as {
    readonly blocks: readonly { readonly block_id: string }[];
  };
  return blocks.map(({ block_id: id }) => id);
}

test("16.4 a search reads what is indexed in its own thread, and a text that has changed since from the document", async () => {
  const canvases: string[] = [];
  for (let index = 0; index < 30; index += 1) {
    const made = await post("commands/canvas.create", { title: `Canvas ${index}`, text: `kettle ${index}\n` });
    canvases.push(String(made["canvasId"]));
  }
  // A search for words waits for the index.
  await found("kettle", "words");
  const asked = vi.spyOn(store, "indexedTexts");
  const read = vi.spyOn(server.workspace.hub.reader, "read");
  expect(await found("kettle 7")).toEqual([canvases[7]]);
  expect((await found("kettle 2\\d?$", "regex")).length).toBe(11);
  expect([asked.mock.calls.length, read.mock.calls.length]).toEqual([0, 0]);
  await post("tools/block_splice", { block_id: canvases[7], offset: 0, delete_count: 6, insert: "teapot" });
  read.mockClear();
  expect(await found("teapot")).toEqual([canvases[7]]);
  expect(await found("kettle 7")).toEqual([]);
  // Once: the thread keeps what it was given.
  expect(read.mock.calls.length).toBe(1);
});
