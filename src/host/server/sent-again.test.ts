import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { MemoryImage } from "../../adapters/storage/memory/tables.ts";
import type { ModelActor } from "../../core/base/actor.ts";
import type { ActorId, BlockId, RunId, TurnId } from "../../core/base/ids.ts";
import type { CommandName } from "../../core/protocol/commands.ts";
import type { DownMessage } from "../../core/protocol/base/messages.ts";
import { protocolVersion, schemaHash } from "../../core/protocol/version.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { personNamed } from "../base/people.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const clientId = "a-client-that-asks-again";
const turnId = "turn_t" as TurnId;
const scribe: ModelActor = {
  type: "model",
  id: "scribe" as ActorId,
  name: "scribe",
  model: "scripted/scribe",
  runId: "run_r" as RunId,
  turnId,
};

interface WatchedServer {
  readonly server: TestServer;
  /** Records what is on disk from now on; the returned function lists every state there was. */
  readonly imagesFromNow: () => () => readonly MemoryImage[];
}

async function start(from?: MemoryImage): Promise<WatchedServer> {
  let beforeCommits: MemoryImage[] = [];
  const store = openMemoryStore(from, {
    fault: () => {
      beforeCommits.push(store.image());
      return null;
    },
  });
  const server = await startTestServer({ store, welcome: false });
  closing.push(() => server.close());
  const imagesFromNow = () => {
    beforeCommits = [];
    return () => [...beforeCommits, store.image()];
  };
  return { server, imagesFromNow };
}

/** Sends one command on a connection of its own, like a page that was cut off, and waits for its answer. */
async function ask(
  server: TestServer,
  command: CommandName,
  params: object,
  requestId: string,
  client: string = clientId,
): Promise<unknown> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`, { perMessageDeflate: false });
  try {
    return await new Promise((resolve, reject) => {
      socket.on("error", reject);
      socket.on("open", () => {
        const { token } = server;
        socket.send(JSON.stringify({ type: "hello", protocol: protocolVersion, schemaHash, token, clientId: client }));
        socket.send(JSON.stringify({ type: "call", requestId, command, params }));
      });
      socket.on("message", (data: Buffer) => {
        for (const message of JSON.parse(data.toString("utf8")) as readonly DownMessage[]) {
          if (message.type === "answer") resolve(message.answer);
          if (message.type === "refused" || message.type === "terminated") resolve(message.refusal.code);
        }
      });
    });
  } finally {
    socket.close();
  }
}

/** Writes a canvas three times as the page and twice as an agent, in another canvas too. */
async function written(server: TestServer): Promise<readonly [BlockId, BlockId]> {
  const { workspace } = server;
  const { replicas, hub } = workspace;
  const person = personNamed("Tester");
  const page = await replicas.forClient(clientId, person);
  const canvases: BlockId[] = [];
  for (const title of ["One", "Two"]) {
    const made = await workspace.createCanvas(workspace.author(person, page), { title });
    if (!made.ok) throw new Error(made.error.code);
    canvases.push(made.value);
    for (const text of ["a", "b", "c"]) {
      await hub.editor.edit(workspace.author(person, page), made.value, {
        changes: [{ from: 0, to: 0, insert: text }],
      });
    }
    const author = { actor: scribe, replica: await replicas.forRun(scribe), unit: { id: `${title}/1`, turnId } };
    await hub.editor.edit(author, made.value, { changes: [{ from: 0, to: 0, insert: "agent " }] });
  }
  const [first, second] = canvases;
  if (first === undefined || second === undefined) throw new Error("two canvases were made");
  return [first, second];
}

async function texts(server: TestServer): Promise<readonly string[]> {
  const all: string[] = [];
  for (const { id } of await server.workspace.canvases()) {
    const now = await server.workspace.hub.reader.read(id);
    all.push(now.ok ? now.value.text : now.error.code);
  }
  return all;
}

describe("a command repeated because the server crashed before its answer", () => {
  test.each([
    ["block.undo-mine", [], ["agent ba", "agent cba"]],
    ["block.redo-mine", ["block.undo-mine", "block.undo-mine"], ["agent ba", "agent cba"]],
    ["turn.undo", [], ["cba", "cba"]],
    ["turn.redo", ["turn.undo"], ["agent cba", "agent cba"]],
  ] as const)("%s is done once, at whichever commit the crash came", async (command, first, expected) => {
    const { server, imagesFromNow } = await start();
    const [blockId] = await written(server);
    const params = command.startsWith("block") ? { blockId } : { turnId };
    for (const [index, earlier] of first.entries()) await ask(server, earlier, params, `earlier-${index}`);
    const images = imagesFromNow();
    const answer = await ask(server, command, params, "the-same");
    expect(await texts(server)).toEqual(expected);
    expect(images().length).toBeGreaterThan(1);
    for (const image of images()) {
      const { server: later } = await start(image);
      expect(await ask(later, command, params, "the-same")).toEqual(answer);
      expect(await texts(later)).toEqual(expected);
    }
  });

  test("canvas.create and conversation.create create one object, at whichever commit the crash came", async () => {
    const { server, imagesFromNow } = await start();
    const images = imagesFromNow();
    const making = async (at: TestServer): Promise<unknown> => [
      await ask(at, "canvas.create", { title: "Notes", text: "x" }, "one"),
      await ask(at, "conversation.create", { title: "Talk" }, "two"),
    ];
    expect(await making(server)).toEqual([{ canvasId: expect.any(String) }, { rootId: expect.any(String) }]);
    expect(images().length).toBeGreaterThan(4);
    for (const image of images()) {
      const { server: later } = await start(image);
      const answer = await making(later);
      expect(await texts(later)).toEqual(["x"]);
      const [canvas] = await later.workspace.canvases();
      const roots = await later.workspace.conversations.list();
      expect(answer).toEqual([{ canvasId: canvas?.id }, { rootId: roots[0]?.id }]);
      expect(roots).toHaveLength(1);
    }
  });

  test("equal request ids of two clients are two requests", async () => {
    const { server } = await start();
    await ask(server, "canvas.create", { title: "Mine" }, "same", "a-client-of-one-person");
    await ask(server, "canvas.create", { title: "Yours" }, "same", "a-client-of-another");
    expect(await texts(server)).toHaveLength(2);
  });
});

test("the answer of a read is not stored: repeated, the read runs again", async () => {
  const { server } = await start();
  expect(await ask(server, "canvas.default-policy", {}, "read-1")).toEqual({ policy: "live" });
  expect(await ask(server, "canvas.set-default-policy", { policy: "suggest" }, "write-1")).toEqual({
    policy: "suggest",
  });
  expect(await ask(server, "canvas.default-policy", {}, "read-1")).toEqual({ policy: "suggest" });
  expect(await ask(server, "canvas.set-default-policy", { policy: "suggest" }, "write-1")).toEqual({
    policy: "suggest",
  });
});
