import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { BlockId } from "../../../core/base/ids.ts";
import type { DownMessage } from "../../../core/protocol/base/messages.ts";
import { protocolVersion, schemaHash } from "../../../core/protocol/version.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { serverLimits } from "../http/server-limits.ts";

let server: TestServer;
let canvasId: BlockId;
let socket: WebSocket;
const received: DownMessage[] = [];

beforeAll(async () => {
  server = await startTestServer();
  const [canvas] = await server.workspace.canvases();
  if (canvas === undefined) throw new Error("a new workspace has a canvas");
  canvasId = canvas.id;
  socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`, { perMessageDeflate: false });
  const welcomed = new Promise<void>((resolve) => {
    socket.on("message", (data: Buffer) => {
      received.push(...(JSON.parse(data.toString("utf8")) as DownMessage[]));
      if (received.some(({ type }) => type === "welcome")) resolve();
    });
  });
  await new Promise((resolve) => socket.on("open", resolve));
  const clientId = "client-of-many-calls";
  send({ type: "hello", protocol: protocolVersion, schemaHash, token: server.token, clientId });
  await welcomed;
});

afterAll(async () => {
  socket.terminate();
  await server.close();
});

function send(message: object): void {
  socket.send(JSON.stringify(message));
}

/** Sends a command about the canvas, which is answered in the canvas's queue. */
function call(requestId: string): void {
  send({ type: "call", requestId, command: "block.turns", params: { blockId: canvasId } });
}

function answers(): readonly string[] {
  return received.flatMap((message) => (message.type === "answer" ? [message.requestId] : []));
}

function refusals(): readonly (readonly [string | null, string])[] {
  return received.flatMap((message) =>
    message.type === "refused" ? [[message.requestId, message.refusal.code] as const] : [],
  );
}

test("a connection at its limit of unanswered calls is refused another call, and served again after an answer", async () => {
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const held = server.workspace.hub.reader.hold(canvasId, async () => {
    await gate;
    return { ok: true, value: null };
  });
  const inTime = Array.from({ length: serverLimits.callsMax }, (_, number) => `call-${number}`);
  for (const requestId of inTime) call(requestId);
  call("one-too-many");
  await expect.poll(refusals).toEqual([["one-too-many", "RATE_LIMITED"]]);
  expect(answers()).toEqual([]);
  release();
  await held;
  await expect.poll(answers).toEqual(inTime);
  call("later");
  await expect.poll(answers).toEqual([...inTime, "later"]);
  expect(refusals()).toHaveLength(1);
});
