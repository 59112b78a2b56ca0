import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { must } from "../../../core/base/assert.ts";
import type { ActorId, BlockId } from "../../../core/base/ids.ts";
import type { SystemActor } from "../../../core/base/actor.ts";
import type { DownMessage } from "../../../core/protocol/base/messages.ts";
import { protocolVersion, schemaHash } from "../../../core/protocol/version.ts";
import type { Logger } from "../../../core/port/platform.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import type { Author } from "../../document/record/types.ts";

const heddle: SystemActor = { type: "system", id: "system_test" as ActorId, name: "Test" };
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start(logger?: Logger): Promise<{ server: TestServer; blockId: BlockId; author: Author }> {
  const server = await startTestServer(logger === undefined ? {} : { logger });
  closing.push(() => server.close());
  const { workspace } = server;
  const author = workspace.author(heddle, await workspace.replicas.forClient("a-client-for-the-test", heddle));
  const made = await workspace.createCanvas(author, { title: "Room" });
  if (!made.ok) throw new Error(made.error.code);
  return { server, blockId: made.value, author };
}

interface Watcher {
  readonly socket: WebSocket;
  /** Frames received after the snapshot. */
  readonly frames: string[];
  readonly messages: () => readonly DownMessage[];
  readonly versions: () => readonly number[];
  until(reached: () => boolean): Promise<void>;
}

let clients = 0;

/** Returns a watcher that has its snapshot, unless it has a version, before any other watcher joins. */
async function watcher(server: TestServer, blockId: BlockId, afterVersion = 0): Promise<Watcher> {
  clients += 1;
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`, { perMessageDeflate: false });
  closing.push(() => socket.terminate());
  const frames: string[] = [];
  const waiting = new Set<() => void>();
  socket.on("message", (data: Buffer) => {
    frames.push(data.toString());
    for (const check of waiting) check();
  });
  socket.on("close", () => {
    for (const check of waiting) check();
  });
  await new Promise((resolve) => socket.on("open", resolve));
  const clientId = `room-client-${String(clients).padStart(8, "0")}`;
  const hello = { type: "hello", protocol: protocolVersion, schemaHash, token: server.token, clientId };
  socket.send(JSON.stringify(hello));
  socket.send(JSON.stringify({ type: "watch-block", blockId, afterVersion }));
  const messages = (): readonly DownMessage[] => frames.flatMap((frame) => JSON.parse(frame) as DownMessage[]);
  const until = (reached: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!reached()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const first = afterVersion === 0 ? "block-snapshot" : "block-change";
  await until(() => messages().some(({ type }) => type === first));
  if (afterVersion === 0) frames.length = 0;
  const versions = (): readonly number[] =>
    messages().flatMap((message) => (message.type === "block-change" ? [message.change.version] : []));
  return { socket, frames, messages, versions, until };
}

function upTo(last: number, first: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

test("a large room receives a burst of changes in few frames, the same for all, and misses none", async () => {
  const { server, blockId, author } = await start();
  const room = [];
  for (let index = 0; index < 60; index += 1) room.push(await watcher(server, blockId));
  const before = (await server.workspace.hub.reader.list(null)).find(({ id }) => id === blockId)?.version ?? 0;
  const typed = [];
  const from = performance.now();
  for (let letter = 0; letter < 200; letter += 1) {
    typed.push(server.workspace.hub.editor.edit(author, blockId, { changes: [{ from: 0, to: 0, insert: "x" }] }));
    if (letter % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(typed);
  const tookMs = performance.now() - from;
  for (const reader of room) {
    await reader.until(() => reader.versions().at(-1) === before + 200);
    expect(reader.versions()).toEqual(upTo(before + 200, before + 1));
  }
  const [first] = room;
  expect(new Set(room.map(({ frames }) => frames.join("\n"))).size).toBe(1);
  // 20 bursts, a millisecond apart where the machine is idle; watchers are notified once in five.
  expect(must(first, "a reader").frames.length).toBeLessThanOrEqual(Math.ceil(tookMs / 5) + 2);
});

test("a watcher that resumes from a version receives exactly the changes after it", async () => {
  const { server, blockId, author } = await start();
  const { hub } = server.workspace;
  for (const insert of ["a", "b", "c", "d"])
    await hub.editor.edit(author, blockId, { changes: [{ from: 0, to: 0, insert }] });
  const read = await hub.reader.read(blockId);
  const version = read.ok ? read.value.header.version : 0;
  const back = await watcher(server, blockId, version - 3);
  await back.until(() => back.versions().length === 3);
  await hub.editor.edit(author, blockId, { changes: [{ from: 0, to: 0, insert: "e" }] });
  await back.until(() => back.versions().length === 4);
  expect(back.versions()).toEqual(upTo(version + 1, version - 2));
  expect(back.messages().some(({ type }) => type === "block-snapshot")).toBe(false);
});

test("a slow reader receives the reason as its last message, after everything it was sent, without a gap", async () => {
  const warnings: string[] = [];
  const logger: Logger = {
    info: () => {},
    error: () => {},
    warn: (event) => warnings.push(event),
  };
  const { server, blockId, author } = await start(logger);
  const [slow, healthy] = [await watcher(server, blockId), await watcher(server, blockId)];
  slow.socket.pause();
  let edits = 0;
  for (let length = 0; !warnings.includes("slow-subscriber"); edits += 1) {
    // The stream is long, the document is not.
    const insert = "x".repeat(edits % 2 === 0 ? 300_000 : 1);
    await server.workspace.hub.editor.edit(author, blockId, { changes: [{ from: 0, to: length, insert }] });
    length = insert.length;
  }
  slow.socket.resume();
  await slow.until(() => slow.socket.readyState === slow.socket.CLOSED);
  expect(slow.messages().at(-1)).toMatchObject({ type: "terminated", refusal: { code: "SLOW_SUBSCRIBER" } });
  const versions = slow.versions();
  expect(versions).toEqual(upTo(versions.at(-1) ?? 0, versions[0] ?? 0));
  expect(versions.length).toBeLessThan(edits);
  await healthy.until(() => healthy.versions().length === edits);
  expect(healthy.socket.readyState).toBe(healthy.socket.OPEN);
});
