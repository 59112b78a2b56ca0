import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { must } from "../../src/core/base/assert.ts";
import { errorTable, type ErrorCode } from "../../src/core/base/errors.ts";
import type { DownMessage } from "../../src/core/protocol/base/messages.ts";
import { frameBytesMax } from "../../src/core/protocol/base/limits.ts";
import { readDownFrame } from "../../src/core/protocol/read-down-frame.ts";
import { protocolVersion, schemaHash } from "../../src/core/protocol/version.ts";
import { connectTestClient, until } from "../../src/testing/test-client.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { openTypist, timesIn, type Typist } from "./typist.ts";

const token = "token-of-a-test-0123456789";
let server: TestServer;
let person: Typist;

beforeAll(async () => {
  server = await startTestServer({ token });
  const root = must((await server.workspace.conversations.list())[0], "a new workspace has a conversation");
  const canvasId = must(root.canvasId, "with a canvas");
  person = await openTypist({ server, number: 0, canvasId, rootId: root.id });
});

afterAll(async () => {
  person.close();
  await server.close();
});

/** Checks that connected people keep typing and get confirmations while strangers send bad input. */
async function expectUnharmed(): Promise<void> {
  person.typeAfter("This part is yours.");
  await until(person.text.unconfirmed, (count) => count === 0);
  expect(person.client.state.get()).toMatchObject({ type: "live", reconnected: false });
  const stored = await server.workspace.hub.reader.read(person.text.blockId);
  expect(stored).toMatchObject({ ok: true, value: { text: person.text.text() } });
  expect(person.typed.filter((word) => timesIn(person.text.text(), word) !== 1)).toEqual([]);
}

const hello = { type: "hello", protocol: protocolVersion, schemaHash, clientId: "stranger-of-a-test" } as const;

describe("frames", () => {
  test.each<[string, string | Buffer]>([
    ["no JSON", "{"],
    ["no object", "[1, 2]"],
    ["an unknown type", '{"type":"format-disk"}'],
    ["a field of the wrong type", '{"type":"watch-block","blockId":7,"afterVersion":0}'],
    ["bytes", Buffer.from([0, 255, 254])],
    ["endless depth", `{"type":${"[".repeat(50_000)}${"]".repeat(50_000)}}`],
    ["a second hello", JSON.stringify({ ...hello, token })],
  ])("with %s are refused, and the third one ends the connection", async (_name, frame) => {
    const stranger = await connect();
    stranger.say({ ...hello, token });
    await stranger.hears("welcome");
    for (let sent = 0; sent < 3; sent += 1) stranger.socket.send(frame);
    expect(await stranger.end).toBe(1007);
    expect(stranger.codes()).toEqual(["FRAME_MALFORMED", "FRAME_MALFORMED", "FRAME_MALFORMED"]);
    expect(stranger.heard.at(-1)).toMatchObject({ type: "terminated" });
    await expectUnharmed();
  });

  test.each<[string, unknown, ErrorCode, number]>([
    ["nothing readable", "?", "FRAME_MALFORMED", 1007],
    ["a message before the hello", { type: "ping" }, "UNAUTHENTICATED", 4401],
    ["a wrong token", { ...hello, token: "wrong-token-0123456789" }, "UNAUTHENTICATED", 4401],
    ["another release's schemas", { ...hello, token, schemaHash: "00000000" }, "PROTOCOL_MISMATCH", 4409],
  ])("with %s at the start end the connection with their code", async (_name, message, code, closeCode) => {
    const stranger = await connect();
    stranger.say(message);
    expect(await stranger.end).toBe(closeCode);
    expect(stranger.codes()).toEqual([code]);
    await expectUnharmed();
  });

  test("that are too large end the connection", async () => {
    const stranger = await connect();
    stranger.say({ ...hello, token });
    await stranger.hears("welcome");
    stranger.socket.send("x".repeat(frameBytesMax + 1));
    expect(await stranger.end).toBe(1009);
    await expectUnharmed();
  });

  test.each<[string, string, ErrorCode]>([
    ["is no base64", "****", "UPDATE_CORRUPT"],
    ["is no update", "AAAA", "UPDATE_CORRUPT"],
  ])("with an update that %s are refused by their request id", async (_name, update, code) => {
    const stranger = await connect();
    stranger.say({ ...hello, token });
    stranger.say({ type: "push", requestId: "request-1", blockId: person.text.blockId, update });
    await stranger.hears("refused");
    expect(stranger.heard.at(-1)).toMatchObject({ requestId: "request-1", refusal: { code } });
    stranger.socket.close();
    await expectUnharmed();
  });

  test("of a page with a wrong token are refused; the page shows that and does not retry", async () => {
    const client = connectTestClient({ url: server.url, token: "wrong-token-0123456789" });
    const state = await until(client.state, ({ type }) => type !== "connecting");
    expect(state).toMatchObject({ type: "refused", refusal: { code: "UNAUTHENTICATED" } });
    client.close();
  });
});

describe("foreign hosts and origins", () => {
  const foreign: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ["a foreign Host", { host: "rebound.example" }],
    ["our Host with another port", { host: "127.0.0.1:1" }],
    ["a foreign Origin", { origin: "https://foreign.example" }],
    ["the Origin of no page", { origin: "null" }],
  ];

  test.each(foreign)("with %s are refused over HTTP, even with the token", async (_name, headers) => {
    const authorization = `Bearer ${token}`;
    for (const path of ["/", "/healthz", "/api/conversations"]) {
      expect(await get(path, { ...headers, authorization })).toEqual({ status: 403, code: "FOREIGN_ORIGIN" });
    }
    await expectUnharmed();
  });

  test.each(foreign)("with %s get no WebSocket", async (_name, headers) => {
    const socket = new WebSocket(`${server.url.replace("http", "ws")}/ws`, { headers });
    const [problem] = (await once(socket, "error")) as [Error];
    expect(problem.message).toContain(String(errorTable.FOREIGN_ORIGIN.http));
    await expectUnharmed();
  });
});

interface Stranger {
  readonly socket: WebSocket;
  /** All messages received so far. */
  readonly heard: readonly DownMessage[];
  /** The close code, once the socket is closed. */
  readonly end: Promise<number>;
  say(message: unknown): void;
  hears(type: DownMessage["type"]): Promise<void>;
  /** The codes of all refusals, the final one included. */
  codes(): readonly ErrorCode[];
}

/** A plain socket without a client's protocol handling. */
async function connect(): Promise<Stranger> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/ws`);
  const heard: DownMessage[] = [];
  socket.on("message", (data: Buffer) => heard.push(...(readDownFrame(data.toString("utf8")) ?? [])));
  const end = new Promise<number>((resolve) => {
    socket.on("close", resolve);
  });
  await once(socket, "open");
  return {
    socket,
    heard,
    end,
    say: (message) => socket.send(JSON.stringify(message)),
    async hears(type) {
      while (!heard.some((message) => message.type === type)) await once(socket, "message");
    },
    codes: () =>
      heard.flatMap((message) => {
        return message.type === "refused" || message.type === "terminated" ? [message.refusal.code] : [];
      }),
  };
}

/** A request with an arbitrary Host, which `fetch` does not allow. */
async function get(path: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const sent = request({ host: "127.0.0.1", port: server.port, path, headers });
  sent.end();
  const [response] = (await once(sent, "response")) as [AsyncIterable<Buffer> & { readonly statusCode: number }];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const body: { error: { code: string } } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  return { status: response.statusCode, code: body.error.code };
}
