import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread, parentPort, receiveMessageOnPort, Worker, workerData } from "node:worker_threads";
import { WebSocketServer, type WebSocket } from "ws";
import { must } from "../../src/core/base/assert.ts";
import { serveBench } from "./child.ts";

// The minimum for a server that has each update on disk before it sends it: a thread inserts the unchanged update into
// a table without an index, one transaction for all that wait. Nothing is merged, checked or acknowledged.

interface Update {
  readonly room: string;
  readonly data: Uint8Array;
}

if (isMainThread) serve();
else store();

function serve(): void {
  const folder = mkdtempSync(join(tmpdir(), "heddle-sync-"));
  const worker = new Worker(new URL(import.meta.url), { workerData: join(folder, "updates.db") });
  const rooms = Array.from({ length: Number(process.argv[2]) }, (_, room) => `room-${room}`);
  const clientsByPath = new Map<string, Set<WebSocket>>();
  const unstored: Update[] = [];
  let unsent: Update[] = [];
  const http = createServer();
  new WebSocketServer({ server: http, perMessageDeflate: false }).on("connection", (socket, request) => {
    const room = request.url ?? "/";
    const clients = clientsByPath.get(room) ?? new Set();
    clientsByPath.set(room, clients.add(socket));
    socket.on("message", (data: Buffer) => {
      const update = { room, data };
      unstored.push(update);
      unsent.push(update);
      if (unsent.length > 1) return;
      setImmediate(() => {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        worker.postMessage(unsent);
        unsent = [];
      });
    });
    socket.on("close", () => clients.delete(socket));
  });
  worker.on("message", (stored: number) => {
    for (const { room, data } of unstored.splice(0, stored)) {
      for (const client of clientsByPath.get(room) ?? []) client.send(data);
    }
  });
  http.listen(0, "127.0.0.1", () => {
    serveBench({ port: (http.address() as AddressInfo).port, rooms, token: "" }, async () => {
      http.closeAllConnections();
      await worker.terminate();
      rmSync(folder, { recursive: true, force: true });
    });
  });
}

function store(): void {
  const port = must(parentPort, "a thread has a parent");
  const database = new DatabaseSync(String(workerData));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE updates (id INTEGER PRIMARY KEY, room TEXT, data BLOB) STRICT`);
  const insert = database.prepare("INSERT INTO updates (room, data) VALUES (?1, ?2)");
  port.on("message", (first: readonly Update[]) => {
    const updates = [...first];
    for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
      updates.push(...(more.message as readonly Update[]));
    }
    database.exec("BEGIN");
    for (const { room, data } of updates) insert.run(room, data);
    database.exec("COMMIT");
    port.postMessage(updates.length);
  });
}
