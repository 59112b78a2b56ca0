import { afterEach, expect, test } from "vitest";
import { connectHeddle } from "../../client/connect.ts";
import type { HeddleClient, SocketLike, SocketListener, TextReplica } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { allCanvases, connectTestClient, until } from "../../testing/test-client.ts";
import { openNodeSocket } from "../base/node-socket.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A network connection that can be cut. */
class Line {
  #socket: SocketLike | null = null;
  #isCut = false;

  open(url: string, listener: SocketListener): SocketLike {
    this.#socket = openNodeSocket(this.#isCut ? "ws://127.0.0.1:1" : url, listener);
    return this.#socket;
  }

  cut(): void {
    this.#isCut = true;
    this.#socket?.close();
  }

  mend(): void {
    this.#isCut = false;
  }
}

async function openCanvas(line = new Line()): Promise<[TestServer, HeddleClient, TextReplica]> {
  const server = await startTestServer({ welcome: false });
  closing.push(() => server.close());
  const { url, token } = server;
  const platform = { openSocket: (to: string, listener: SocketListener) => line.open(to, listener) };
  const client = connectHeddle({ url, token, clientId: "a-page-at-a-line-0001", platform });
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

async function stored(server: TestServer, { blockId }: TextReplica): Promise<unknown> {
  const reply = await fetch(`${server.url}/api/tools/block_read`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ block_id: blockId, raw: true }),
  });
  return ((await reply.json()) as { readonly content: unknown }).content;
}

test("a renamed canvas is listed by its new title, and a deleted canvas leaves the list", async () => {
  const [server, client, text] = await openCanvas();
  const { blockId } = text;
  await tool(server, "block_update", { block_id: blockId, metadata: { title: "Plans" } });
  const canvases = client.list(allCanvases);
  await until(canvases, (view) => view?.entries[0]?.title === "Plans");
  await tool(server, "block_delete", { block_id: blockId });
  await until(canvases, (view) => view?.total === 0);
});

test("K-77 a page with a deleted canvas open is notified, and sends its words after the restoration", async () => {
  const [server, client, text] = await openCanvas();
  await tool(server, "block_delete", { block_id: text.blockId });
  await until(text.refused, (refused) => refused?.code === "IN_TRASH");
  expect(text.header.get()?.deletedAt).toBeTypeOf("number");
  text.edit([{ from: 0, to: 0, insert: "not too late " }]);
  accept(await client.call("models.list", {}));
  expect(text.unconfirmed.get()).toBe(1);
  const { entries } = accept(await client.call("trash.list", {}));
  accept(await client.call("trash.restore", { trashId: must(entries[0], "it is in the trash").id }));
  await until(text.unconfirmed, (count) => count === 0);
  await until(text.refused, (refused) => refused === null);
  expect(text.header.get()?.deletedAt).toBeUndefined();
  expect(await stored(server, text)).toBe("not too late one\n");
});

test("K-77 a page that was offline keeps its words for a canvas that was deleted meanwhile", async () => {
  const line = new Line();
  const [server, client, text] = await openCanvas(line);
  line.cut();
  await until(client.state, ({ type }) => type === "reconnecting" || type === "offline");
  text.edit([{ from: 0, to: 0, insert: "offline " }]);
  await tool(server, "block_delete", { block_id: text.blockId });
  line.mend();
  client.reconnectNow();
  await until(text.refused, (refused) => refused?.code === "IN_TRASH");
  expect(text.unconfirmed.get()).toBe(1);
  expect(text.text()).toBe("offline one\n");
  const { entries } = accept(await client.call("trash.list", {}));
  accept(await client.call("trash.restore", { trashId: must(entries[0], "it is in the trash").id }));
  await until(text.unconfirmed, (count) => count === 0);
  expect(await stored(server, text)).toBe("offline one\n");
});

test("a page that opens a deleted canvas is notified", async () => {
  const [server, , text] = await openCanvas();
  await tool(server, "block_delete", { block_id: text.blockId });
  const other = connectTestClient(server, { clientId: "somebody-else-0001" });
  closing.push(() => other.close());
  const late = other.openText(text.blockId);
  await until(late.refused, (refused) => refused?.code === "IN_TRASH");
  expect(late.ready).toBe(false);
});
