import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { serveBench } from "./child.ts";

// Hocuspocus with its database extension over SQLite: it stores typed text some seconds later.

interface Stored {
  readonly documentName: string;
  readonly state: Uint8Array;
}
interface HocuspocusServer {
  listen(): Promise<unknown>;
  destroy(): Promise<unknown>;
  readonly address: { readonly port: number };
}
const require = createRequire(fileURLToPath(new URL("../peers/package.json", import.meta.url)));
const { Server } = require("@hocuspocus/server") as { Server: new (options: object) => HocuspocusServer };
const { Database } = require("@hocuspocus/extension-database") as { Database: new (options: object) => object };

const folder = mkdtempSync(join(tmpdir(), "heddle-sync-"));
const database = new DatabaseSync(join(folder, "hocuspocus.db"));
database.exec("pragma journal_mode = wal; create table documents (name text primary key, data blob) strict");
const read = database.prepare("select data from documents where name = ?");
const write = database.prepare(
  "insert into documents values (?, ?) on conflict (name) do update set data = excluded.data",
);
const server = new Server({
  port: 0,
  address: "127.0.0.1",
  quiet: true,
  extensions: [
    new Database({
      fetch: async ({ documentName }: Stored) => read.get(documentName)?.["data"] ?? null,
      store: async ({ documentName, state }: Stored) => void write.run(documentName, state),
    }),
  ],
});
await server.listen();
const rooms = Array.from({ length: Number(process.argv[2]) }, (_, room) => `room-${room}`);
serveBench({ port: server.address.port, rooms, token: "" }, async () => {
  await server.destroy();
  rmSync(folder, { recursive: true, force: true });
});
