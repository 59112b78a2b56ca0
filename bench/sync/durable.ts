import { DatabaseSync } from "node:sqlite";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { must } from "../../src/core/base/assert.ts";
import { atMost, type BenchRow } from "../harness/bench.ts";
import { BenchChild, type Listening } from "./child.ts";
import { ThinSocket } from "./thin-socket.ts";
import { servers } from "./wires.ts";

// Checks that everything the server has acknowledged is in its file when it is killed in the middle of its work.

const rooms = 8;
const updates = 4_000;
const acknowledgedWhenKilled = 3_000;

export async function durableRows(): Promise<readonly BenchRow[]> {
  const { module, wire } = must(servers["heddle"], "a known server");
  const server = await BenchChild.start<Listening>(module, [String(rooms)]);
  const { hello: listening } = server;
  const acknowledged: string[] = [];
  const enough = Promise.withResolvers<void>();
  const writers = [];
  for (const [client, room] of listening.rooms.entries()) {
    const joining = wire.join({ listening, room, client });
    const isIn = Promise.withResolvers<void>();
    const socket = await ThinSocket.open({ port: listening.port, path: wire.path(room) }, (frame) => {
      if (joining.joined(frame)) isIn.resolve();
      for (const message of JSON.parse(frame.toString()) as { type: string; requestId?: string }[]) {
        if (message.type === "pushed") acknowledged.push(must(message.requestId, "a request id"));
      }
      if (acknowledged.length >= acknowledgedWhenKilled) enough.resolve();
    });
    for (const frame of joining.opening) socket.send(frame);
    await isIn.promise;
    writers.push({ socket, writer: joining.writer() });
  }
  for (let sent = 0; sent < updates; sent += 1) {
    const { socket, writer } = must(writers[sent % rooms], "a writer");
    socket.send(writer.next("a").frame);
  }
  await enough.promise;
  await server.end();
  for (const { socket } of writers) socket.close();
  const file = must(listening.file, "a file");
  const database = new DatabaseSync(file);
  const stored = new Set(
    database
      .prepare("SELECT request_id FROM changes UNION ALL SELECT request_id FROM new_changes")
      .all()
      // A request is stored under its client's name.
      .map((row) => String(row["request_id"]).split("/").at(-1)),
  );
  database.close();
  rmSync(dirname(dirname(file)), { recursive: true, force: true });
  const missing = acknowledged.filter((requestId) => !stored.has(requestId)).length;
  return [
    {
      work: `durable: of ${acknowledgedWhenKilled} acknowledged updates, not in the file when the server is killed`,
      subject: "heddle",
      value: missing,
      unit: "updates",
      ratio: null,
      ...atMost(0, missing),
    },
  ];
}
