import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { ActorId, BlockId } from "../../../core/base/ids.ts";
import type { DownMessage } from "../../../core/protocol/base/messages.ts";
import { protocolVersion, schemaHash } from "../../../core/protocol/version.ts";
import type { SystemActor } from "../../../core/base/actor.ts";
import { createDocument, decodeDocument } from "../../../core/text/document.ts";
import { trustedLimits } from "../../../core/text/trusted-limits.ts";
import { serverLimits } from "../http/server-limits.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

const heddle: SystemActor = { type: "system", id: "system_test" as ActorId, name: "Test" };
let server: TestServer;
let canvasId: BlockId;
let textBefore: string;

beforeAll(async () => {
  server = await startTestServer();
  const [canvas] = await server.workspace.canvases();
  if (canvas === undefined) throw new Error("a new workspace has a canvas");
  canvasId = canvas.id;
  textBefore = await canvasText();
});

afterAll(() => server.close());

async function canvasText(): Promise<string> {
  const read = await server.workspace.hub.reader.read(canvasId);
  return read.ok ? read.value.text : "";
}

interface RawClient {
  readonly socket: WebSocket;
  readonly received: DownMessage[];
  /** The close code. */
  readonly closed: Promise<number>;
  next(type: DownMessage["type"]): Promise<DownMessage>;
  send(message: unknown): void;
}

function open(): Promise<RawClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`, { perMessageDeflate: false });
  const received: DownMessage[] = [];
  const waiting = new Set<() => void>();
  socket.on("message", (data: Buffer) => {
    received.push(...(JSON.parse(data.toString("utf8")) as DownMessage[]));
    for (const check of waiting) check();
  });
  socket.on("error", () => {});
  const closed = new Promise<number>((resolve) => socket.on("close", (code: number) => resolve(code)));
  const client: RawClient = {
    socket,
    received,
    closed,
    next: (type) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = received.find((message) => message.type === type);
          if (found === undefined) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    send: (message) => socket.send(JSON.stringify(message)),
  };
  return new Promise((resolve) => socket.on("open", () => resolve(client)));
}

let clients = 0;

function hello(change: Record<string, unknown> = {}): Record<string, unknown> {
  clients += 1;
  const clientId = `raw-client-${String(clients).padStart(8, "0")}`;
  return { type: "hello", protocol: protocolVersion, schemaHash, token: server.token, clientId, ...change };
}

async function openLive(): Promise<RawClient> {
  const client = await open();
  client.send(hello());
  await client.next("welcome");
  return client;
}

describe("the hello", () => {
  test.each([
    ["a wrong token", { token: "wrong" }, 4401, "UNAUTHENTICATED"],
    ["8: an empty token", { token: "" }, 4401, "UNAUTHENTICATED"],
    ["another protocol", { protocol: 999 }, 4409, "PROTOCOL_MISMATCH"],
    ["another release's schemas", { schemaHash: "ffffffff" }, 4409, "PROTOCOL_MISMATCH"],
    ["47: a name with half a character", { name: "half \ud800" }, 1007, "FRAME_MALFORMED"],
    ["an invalid client id", { clientId: "../../etc/passwd" }, 1007, "FRAME_MALFORMED"],
  ])("with %s ends the connection", async (_name, change, code, reason) => {
    const client = await open();
    client.send(hello(change));
    expect(await client.closed).toBe(code);
    expect(client.received).toEqual([expect.objectContaining({ type: "terminated" })]);
    expect(client.received[0]).toMatchObject({ refusal: { code: reason } });
  });

  test("must come first: a client that asks for something before it is cut off", async () => {
    const client = await open();
    client.send({ type: "watch-workspace" });
    expect(await client.closed).toBe(4401);
    expect(client.received.some((message) => message.type === "people")).toBe(false);
  });

  test("is answered even if silent sockets fill the limit of connections without a hello", async () => {
    const silent = await Promise.all(Array.from({ length: serverLimits.unidentifiedMax + 8 }, () => open()));
    for (let time = 0; time < 3; time += 1) {
      const client = await openLive();
      client.socket.terminate();
    }
    for (const { socket } of silent) socket.terminate();
  });

  test("is accepted once", async () => {
    const client = await openLive();
    client.send(hello());
    expect(await client.next("refused")).toMatchObject({ refusal: { code: "FRAME_MALFORMED" } });
    client.socket.terminate();
  });

  test("of another page with the same client id ends the first page, and both have one replica", async () => {
    const clientId = "the-same-client-id";
    const [first, second] = [await open(), await open()];
    first.send(hello({ clientId }));
    const one = await first.next("welcome");
    second.send(hello({ clientId }));
    const two = await second.next("welcome");
    expect(await first.closed).toBe(1008);
    expect(await first.next("terminated")).toMatchObject({ refusal: { code: "CONFLICT" } });
    expect(one.type === "welcome" && two.type === "welcome" && one.replica === two.replica).toBe(true);
    second.socket.terminate();
  });
});

describe("garbage", () => {
  const garbage: readonly (readonly [string, string | Buffer])[] = [
    ["33: an empty frame", ""],
    ["33: text that is not JSON", "hello"],
    ["33: a binary frame", Buffer.from([1, 2, 3])],
    ["33: an unknown type", '{"type":"format-disk"}'],
    ["31: half a message", '{"type":"watch-bl'],
    ["34: JSON of depth 100,000", "[".repeat(100_000)],
    ["35: JSON of 200,000 keys", `{${Array.from({ length: 100_001 }, (_, i) => `"${i}":0`).join(",")}}`],
    ["36: a prototype for a message", '{"__proto__":{"type":"ping"}}'],
    [
      "38: a position beyond what JSON carries",
      '{"type":"watch-block","blockId":"a/1/1","afterVersion":9007199254740993}',
    ],
    ["38: an infinite position", '{"type":"watch-block","blockId":"a/1/1","afterVersion":1e400}'],
    ["38: minus zero", '{"type":"watch-block","blockId":"a/1/1","afterVersion":-0}'],
    ["47: an id with a NUL", '{"type":"unwatch-block","blockId":"a\\u0000b"}'],
    ["47: an id with half a character", '{"type":"unwatch-block","blockId":"a\\ud800"}'],
    ["21: presence in another client's name, in an invalid form", '{"type":"presence","clientId":"other","blockId":7}'],
  ];

  test.each(garbage)(
    "%s is refused; the third time ends the connection, and others notice nothing",
    async (_name, frame) => {
      const [client, healthy] = [await openLive(), await openLive()];
      for (let time = 0; time < 3; time += 1) client.socket.send(frame, { binary: typeof frame !== "string" });
      expect(await client.closed).toBe(1007);
      const refusals = client.received.flatMap((message) =>
        message.type === "refused" || message.type === "terminated" ? [message.refusal.code] : [],
      );
      expect(refusals).toHaveLength(3);
      expect(refusals.every((code) => code === "FRAME_MALFORMED" || code === "FRAME_TOO_LARGE")).toBe(true);
      healthy.send({ type: "ping" });
      await healthy.next("pong");
      healthy.socket.terminate();
      expect(await canvasText()).toBe(textBefore);
    },
  );

  test("23: a frame that is one byte too long ends the connection with 1009", async () => {
    const client = await openLive();
    client.socket.send("x".repeat(1024 * 1024 + 1));
    expect(await client.closed).toBe(1009);
  });

  test.each([
    ["24: a hundred thousand tiny fragments", Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x20])],
    ["25: empty continuation frames", Buffer.from([0x00, 0x80, 0, 0, 0, 0])],
  ])("%s end the connection", async (_name, fragment) => {
    const socket = await upgraded();
    const ended = new Promise<number>((resolve) => {
      let last = 0;
      socket.on("data", (data: Buffer) => {
        const close = data.indexOf(0x88);
        if (close >= 0 && data.length >= close + 4) last = data.readUInt16BE(close + 2);
      });
      socket.on("close", () => resolve(last));
      socket.on("error", () => resolve(last));
    });
    socket.write(Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x7b]));
    for (let sent = 0; sent < 1000 && socket.writable; sent += 1) socket.write(fragment);
    expect(await ended).toBe(1008);
  });
});

/** A socket after the upgrade, on which frames are written by hand. */
function upgraded(): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(server.port, "127.0.0.1", () => {
      socket.write(
        `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
      );
    });
    socket.once("data", () => resolve(socket));
  });
}

describe("messages that are well formed but wrong", () => {
  test.each([
    ["31: an update cut short", "AQ==", "UPDATE_CORRUPT"],
    ["32: bytes that are not an update", "//////////8=", "UPDATE_CORRUPT"],
    [
      "27: a tiny update that claims to be huge",
      Buffer.from([1, 255, 255, 255, 255, 15]).toString("base64"),
      "UPDATE_CORRUPT",
    ],
    ["not base64", "!!!!", "UPDATE_CORRUPT"],
  ])("%s is refused, and the text does not change", async (_name, update, code) => {
    const client = await openLive();
    client.send({ type: "push", requestId: "r1", blockId: canvasId, update });
    expect(await client.next("refused")).toMatchObject({ requestId: "r1", refusal: { code } });
    expect(await canvasText()).toBe(textBefore);
    client.socket.terminate();
  });

  test("22: an update in another replica's name is refused and sent to nobody", async () => {
    const [writer, thief, reader] = [await openLive(), await openLive(), await openLive()];
    reader.send({ type: "watch-block", blockId: canvasId, afterVersion: 0 });
    await reader.next("block-snapshot");
    const welcome = await writer.next("welcome");
    if (welcome.type !== "welcome") throw new Error("a welcome");
    const forged = createDocument().edit(welcome.replica, [{ from: 0, to: 0, insert: "forged" }]);
    if (!forged.ok) throw new Error("an edit");
    thief.send({
      type: "push",
      requestId: "r1",
      blockId: canvasId,
      update: Buffer.from(forged.value.update).toString("base64"),
    });
    expect(await thief.next("refused")).toMatchObject({ refusal: { code: "UPDATE_FOREIGN_REPLICA" } });
    expect(reader.received.some((message) => message.type === "block-change")).toBe(false);
    expect(await canvasText()).toBe(textBefore);
    for (const { socket } of [writer, thief, reader]) socket.terminate();
  });

  test.each<readonly [string, object, string]>([
    ["16, 17: an unknown block", { type: "watch-block", blockId: "doc/9/9", afterVersion: 0 }, "BLOCK_NOT_FOUND"],
    ["17: an unknown conversation", { type: "watch-conversation", rootId: "root_none", afterSeq: 0 }, "ROOT_NOT_FOUND"],
    ["an unknown command", { type: "call", requestId: "r1", command: "x", params: {} }, "UNKNOWN_METHOD"],
    [
      "a command with wrong parameters",
      { type: "call", requestId: "r1", command: "run.cancel", params: {} },
      "INVALID_PARAMS",
    ],
    ...["conversation.create", "conversation.set-canvas", "canvas.set-policy", "canvas.take-control"].map(
      (command) =>
        [
          `16: ${command} with an id that is no canvas's`,
          {
            type: "call",
            requestId: "r1",
            command,
            params: { rootId: "root_none", canvasId: "root_none", policy: "lease" },
          },
          "BLOCK_NOT_FOUND",
        ] as const,
    ),
  ])("%s is refused, and the connection continues", async (_name, message, code) => {
    const client = await openLive();
    client.send(message);
    expect(await client.next("refused")).toMatchObject({ refusal: { code } });
    client.send({ type: "ping" });
    await client.next("pong");
    client.socket.terminate();
  });

  test("48: ten thousand documents opened by one socket are too many", async () => {
    const client = await openLive();
    for (let count = 0; count < 400; count += 1) {
      client.send({ type: "watch-conversation", rootId: `root_${count}`, afterSeq: 0 });
      client.send({ type: "watch-block", blockId: `${canvasId}${count}`, afterVersion: 0 });
    }
    client.send({ type: "ping" });
    await client.next("pong");
    const codes = new Set(
      client.received.flatMap((message) => (message.type === "refused" ? [message.refusal.code] : [])),
    );
    expect(codes.has("RATE_LIMITED")).toBe(true);
    client.socket.terminate();
  });

  test("48: documents that a socket has left make room for others", async () => {
    const client = await openLive();
    for (let count = 0; count < 400; count += 1) {
      client.send({ type: "watch-conversation", rootId: `root_${count}`, afterSeq: 0 });
      client.send({ type: "unwatch-conversation", rootId: `root_${count}` });
      client.send({ type: "watch-block", blockId: `${canvasId}${count}`, afterVersion: 0 });
      client.send({ type: "unwatch-block", blockId: `${canvasId}${count}` });
    }
    client.send({ type: "ping" });
    await client.next("pong");
    const codes = client.received.flatMap((message) => (message.type === "refused" ? [message.refusal.code] : []));
    expect(codes).not.toContain("RATE_LIMITED");
    client.socket.terminate();
  });

  test("22: two clients that push with one request id are both answered", async () => {
    const clients = [await openLive(), await openLive()];
    for (const [index, client] of clients.entries()) {
      const welcome = await client.next("welcome");
      client.send({ type: "watch-block", blockId: canvasId, afterVersion: 0 });
      const snapshot = await client.next("block-snapshot");
      if (welcome.type !== "welcome" || snapshot.type !== "block-snapshot") throw new Error("a page that has joined");
      const document = decodeDocument(Buffer.from(snapshot.text, "base64"), trustedLimits);
      if (!document.ok) throw new Error("a document");
      const edited = document.value.edit(welcome.replica, [{ from: 0, to: 0, insert: `word${index} ` }]);
      if (!edited.ok) throw new Error("an edit");
      const update = Buffer.from(edited.value.update).toString("base64");
      client.send({ type: "push", requestId: "the-same", blockId: canvasId, update });
      expect(await client.next("pushed")).toMatchObject({ requestId: "the-same" });
    }
    expect(await canvasText()).toMatch(/word0.*word1|word1.*word0/);
    const [first] = clients;
    if (first === undefined) throw new Error("two clients");
    const changes = (): DownMessage[] => first.received.filter(({ type }) => type === "block-change");
    while (changes().length < 2) await once(first.socket, "message");
    const ids = changes().map((message) => (message.type === "block-change" ? message.change.requestId : undefined));
    expect(ids).toEqual(["the-same", undefined]);
    for (const { socket } of clients) socket.terminate();
    textBefore = await canvasText();
  });

  test("clients that join together share one snapshot, prepared once; the next change prepares another", async () => {
    const documents: Uint8Array[] = [];
    const watcher = {
      snapshot: (_header: unknown, document: Uint8Array) => void documents.push(document),
      deliver: () => {},
    };
    const { feeds } = server.workspace.hub;
    for (let count = 0; count < 3; count += 1) await feeds.watch(canvasId, 0, watcher);
    const [first] = documents;
    expect(documents.map((document) => document === first)).toEqual([true, true, true]);
    const author = server.workspace.author(heddle, await server.workspace.replicas.forClient("crowd", heddle));
    const edited = await server.workspace.hub.editor.edit(author, canvasId, {
      changes: [{ from: 0, to: 0, insert: "More. " }],
    });
    expect(edited.ok).toBe(true);
    const joined = await feeds.watch(canvasId, 0, watcher);
    expect(documents.at(-1)).not.toBe(first);
    expect(decodeDocument(documents.at(-1) ?? new Uint8Array(), trustedLimits)).toMatchObject({ ok: true });
    if (joined.ok) joined.value.unwatch(canvasId, watcher);
    textBefore = await canvasText();
  });

  test("48: the snapshots a slow reader asked for are prepared when it reads", async () => {
    const { replica, actor } = await openLive().then(async (live) => {
      const welcome = await live.next("welcome");
      if (welcome.type !== "welcome" || welcome.actor.type !== "person") throw new Error("a person is welcomed");
      return { replica: welcome.replica, actor: welcome.actor };
    });
    const text = "x".repeat(400_000);
    const large = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const author = server.workspace.author(actor, replica);
        const made = await server.workspace.createCanvas(author, { title: `Large ${index}`, text });
        if (!made.ok) throw new Error(made.error.code);
        return made.value;
      }),
    );
    const reader = await openLive();
    reader.socket.pause();
    for (const blockId of large) reader.send({ type: "watch-block", blockId, afterVersion: 0 });
    const healthy = await openLive();
    for (let round = 0; round < 20; round += 1) await server.workspace.hub.reader.read(large[0] ?? canvasId);
    healthy.send({ type: "ping" });
    await healthy.next("pong");
    reader.socket.resume();
    while (reader.received.filter(({ type }) => type === "block-snapshot").length < large.length) {
      await Promise.race([once(reader.socket, "message"), reader.closed]);
      expect(reader.socket.readyState).toBe(reader.socket.OPEN);
    }
    for (const { socket } of [reader, healthy]) socket.terminate();
  });

  test("49: a flood of messages is slowed down, none is lost, and nobody else waits", async () => {
    const [flooder, healthy] = [await openLive(), await openLive()];
    for (let count = 0; count < 2000; count += 1) flooder.send({ type: "ping" });
    const before = performance.now();
    healthy.send({ type: "ping" });
    await healthy.next("pong");
    expect(performance.now() - before).toBeLessThan(500);
    flooder.send({ type: "call", requestId: "last", command: "models.list", params: {} });
    await flooder.next("answer");
    expect(flooder.received.filter((message) => message.type === "pong")).toHaveLength(2000);
    for (const { socket } of [flooder, healthy]) socket.terminate();
  });
});

describe("presence", () => {
  test("21: carries the sender's own client id, whatever it claims, and ends with the connection", async () => {
    const [teller, reader] = [await openLive(), await openLive()];
    for (const client of [teller, reader]) {
      client.send({ type: "watch-block", blockId: canvasId, afterVersion: 0 });
      await client.next("block-snapshot");
    }
    teller.send({
      type: "presence",
      blockId: canvasId,
      clientId: "somebody-else-entirely",
      selection: { anchor: 1, head: 2 },
    });
    const presence = await reader.next("presence");
    expect(presence).toMatchObject({
      clientId: expect.stringMatching(/^raw-client-/),
      selection: { anchor: 1, head: 2 },
    });
    reader.received.length = 0;
    teller.socket.terminate();
    expect(await reader.next("presence")).toMatchObject({ selection: null });
    reader.socket.terminate();
  });

  test("is ignored for a block that the sender does not watch", async () => {
    const [teller, reader] = [await openLive(), await openLive()];
    reader.send({ type: "watch-block", blockId: canvasId, afterVersion: 0 });
    await reader.next("block-snapshot");
    teller.send({ type: "presence", blockId: canvasId, selection: { anchor: 1, head: 2 } });
    teller.send({ type: "ping" });
    await teller.next("pong");
    reader.send({ type: "ping" });
    await reader.next("pong");
    expect(reader.received.some((message) => message.type === "presence")).toBe(false);
    for (const { socket } of [teller, reader]) socket.terminate();
  });
});

test("a command sent twice is performed once", async () => {
  const client = await openLive();
  const call = { type: "call", requestId: "once", command: "canvas.create", params: { title: "Only one" } };
  client.send(call);
  client.send(call);
  client.send({ type: "call", requestId: "after", command: "models.list", params: {} });
  await client.next("answer");
  while (client.received.filter((message) => message.type === "answer").length < 3) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const titles = (await server.workspace.canvases()).map((canvas) => canvas.title);
  expect(titles.filter((title) => title === "Only one")).toHaveLength(1);
  client.socket.terminate();
});
