import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PersonActor } from "../../src/core/base/actor.ts";
import type { ActorId } from "../../src/core/base/ids.ts";
import { startTestServer } from "../../src/testing/test-server.ts";
import { serveBench } from "./child.ts";

// The whole server, on SQLite with every acknowledged edit on disk.

const folder = mkdtempSync(join(tmpdir(), "heddle-sync-"));
process.env["TMPDIR"] = folder;
const server = await startTestServer({ store: "sqlite", welcome: false });
const { workspace } = server;
const actor: PersonActor = { type: "person", id: "bench" as ActorId, name: "Bench" };
const author = workspace.author(actor, await workspace.replicas.forClient("bench", actor));
const rooms: string[] = [];
for (let room = 0; room < Number(process.argv[2]); room += 1) {
  const made = await workspace.createCanvas(author, { title: `Room ${room}` });
  if (!made.ok) throw new Error(made.error.code);
  rooms.push(made.value);
}
const [file] = globSync(join(folder, "*/heddle.db"));
if (file === undefined) throw new Error("the server has a database");
serveBench({ port: server.port, rooms, token: server.token, file }, async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
