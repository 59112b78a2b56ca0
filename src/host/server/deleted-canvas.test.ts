import { afterEach, expect, test } from "vitest";
import type { HeddleClient, TextReplica } from "../../client/base/types.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { connectTestClient, until } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function openCanvas(): Promise<[TestServer, HeddleClient, TextReplica]> {
  const server = await startTestServer({ welcome: false });
  closing.push(() => server.close());
  const client = connectTestClient(server);
  closing.push(() => client.close());
  const { canvasId } = accept(await client.call("canvas.create", { title: "Notes", text: "one\n" }));
  const text = client.openText(canvasId);
  await until(text.header, (header) => header !== null);
  return [server, client, text];
}

async function tool(server: TestServer, name: string, parameters: object): Promise<void> {
  const reply = await fetch(`${server.url}/api/tools/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify(parameters),
  });
  expect(reply.status).toBe(200);
}

test("a renamed canvas is listed by its new title, and a deleted canvas leaves the list", async () => {
  const [server, client, text] = await openCanvas();
  const { blockId } = text;
  await tool(server, "block_update", { block_id: blockId, metadata: { title: "Plans" } });
  await until(client.workspace, (view) => view?.canvases[0]?.title === "Plans");
  await tool(server, "block_delete", { block_id: blockId });
  await until(client.workspace, (view) => view?.canvases.length === 0);
});

test("a page with a deleted canvas open is notified, and its later edits are given back", async () => {
  const [server, client, text] = await openCanvas();
  await tool(server, "block_delete", { block_id: text.blockId });
  await until(text.refused, (refused) => refused?.code === "BLOCK_NOT_FOUND");
  expect(text.header.get()?.deletedAt).toBeTypeOf("number");
  text.edit([{ from: 0, to: 0, insert: "too late" }]);
  await until(text.refused, (now) => now?.details?.["lostText"] !== undefined);
  // The page then asks for a fresh copy, which does not exist; the lost text is still reported.
  accept(await client.call("models.list", {}));
  expect(text.refused.get()).toMatchObject({ code: "BLOCK_NOT_FOUND", details: { lostText: "too late" } });
  expect(text.unconfirmed.get()).toBe(0);
});

test("a page that opens a deleted canvas is notified", async () => {
  const [server, , text] = await openCanvas();
  await tool(server, "block_delete", { block_id: text.blockId });
  const other = connectTestClient(server, { clientId: "somebody-else-0001" });
  closing.push(() => other.close());
  const late = other.openText(text.blockId);
  await until(late.refused, (refused) => refused?.code === "BLOCK_NOT_FOUND");
  expect(late.ready).toBe(false);
});
