import { createServer } from "node:http";
import { duplexPair } from "node:stream";
import { WebSocket } from "ws";
import { openMemoryStore, type MemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { SocketListener, SocketLike, TextReplica } from "../../client/base/types.ts";
import { connectHeddle } from "../../client/connect.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, RequestId } from "../../core/base/ids.ts";
import type { Platform } from "../../core/port/platform.ts";
import { TunnelSocket } from "../server/http/tunnel-socket.ts";
import { serveOver } from "../server/server.ts";
import { openWorkspace } from "../workspace/workspace.ts";

const token = "rehearsal";
const host = "127.0.0.1";
const port = 7420;
/** Enough for the engine to compile what runs for every client, edit and document that comes back. */
export const rehearsed = { takeOvers: 3, clients: 24, documents: 8, editsOfEach: 8 } as const;
const { takeOvers, clients, documents, editsOfEach } = rehearsed;
const waitMs = 5;
const waitsMax = 1_000;

/**
 * Plays, with documents and clients of its own and all in memory, what this process does when it takes over: it opens, everybody
 * comes back at once and sends what was typed meanwhile. A process that does it for the first time takes three times as long,
 * and then people wait for it. Nothing of the real workspace is read or written. Returns how many edits were stored.
 */
export async function rehearse(given: Platform): Promise<number> {
  const silent = (): void => {};
  const platform: Platform = { ...given, logger: { info: silent, warn: silent, error: silent } };
  let canvases: readonly BlockId[] = [];
  let stored = 0;
  let store = openMemoryStore();
  for (let time = 0; time < takeOvers; time += 1) {
    const served = await serveOnce(platform, store, canvases);
    canvases = served.canvases;
    stored += served.stored;
    store = openMemoryStore(store.image());
  }
  return stored;
}

interface Served {
  readonly canvases: readonly BlockId[];
  /** Edits that clients were told are stored. */
  readonly stored: number;
}

/** Serves the documents to all clients until each has been told that its edits are stored. */
async function serveOnce(platform: Platform, store: MemoryStore, known: readonly BlockId[]): Promise<Served> {
  const workspace = await openWorkspace({
    store,
    platform,
    catalogue: { list: () => [], find: () => undefined },
    cwd: process.cwd(),
    welcome: false,
  });
  const http = createServer();
  const server = serveOver(http, { workspace, token, host, port, appFolder: "", defaultName: "" });
  const take = (): TunnelSocket => {
    const [near, far] = duplexPair();
    http.emit("connection", new TunnelSocket(far, host));
    return new TunnelSocket(near, host);
  };
  const connect = (number: number) =>
    connectHeddle({
      url: server.url,
      token,
      clientId: `rehearsal-of-a-client-${number}`,
      platform: { openSocket: (url, listener) => openOver(take(), url, listener) },
    });
  const connected = Array.from({ length: clients }, (_, number) => connect(number));
  try {
    const canvases = known.length > 0 ? known : await makeDocuments(must(connected[0], "there are clients"));
    const texts = connected.map((client, number) => client.openText(must(canvases[number % documents], "made")));
    const stored = await Promise.all(texts.map((text) => typeIn(text)));
    return { canvases, stored: stored.reduce((sum, edits) => sum + edits, 0) };
  } finally {
    for (const client of connected) client.close();
    await server.close();
    await workspace.close();
  }
}

function openOver(socket: TunnelSocket, url: string, listener: SocketListener): SocketLike {
  const webSocket = new WebSocket(url, { perMessageDeflate: false, createConnection: () => socket as never });
  webSocket.on("open", () => listener.opened());
  webSocket.on("message", (data: Buffer) => listener.received(data.toString("utf8")));
  webSocket.on("close", (code: number) => listener.closed(code));
  webSocket.on("error", () => {});
  return { send: (frame) => webSocket.send(frame), close: () => webSocket.close() };
}

async function makeDocuments(client: ReturnType<typeof connectHeddle>): Promise<readonly BlockId[]> {
  const canvases: BlockId[] = [];
  for (let index = 0; index < documents; index += 1) {
    const made = await client.call("canvas.create", {
      title: `Document ${index}`,
      clientRequestId: `rehearsal-document-${index}` as RequestId,
    });
    canvases.push(must(made.ok ? made.value.canvasId : null, "a document is made in memory"));
  }
  return canvases;
}

/** Returns how many edits were stored. */
async function typeIn(text: TextReplica): Promise<number> {
  const until = async (isSo: () => boolean): Promise<void> => {
    for (let waits = 0; !isSo() && waits < waitsMax; waits += 1) await new Promise((r) => setTimeout(r, waitMs));
  };
  await until(() => text.ready);
  let edits = 0;
  for (; text.ready && edits < editsOfEach; edits += 1) {
    text.edit([{ from: text.length, to: text.length, insert: " word" }]);
    await until(() => text.unconfirmed.get() === 0);
    if (text.unconfirmed.get() > 0) break;
  }
  return edits;
}
