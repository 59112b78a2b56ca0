import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { BlockId } from "../../../core/base/ids.ts";
import type { DownMessage } from "../../../core/protocol/base/messages.ts";
import { protocolVersion, schemaHash } from "../../../core/protocol/version.ts";
import { decodeDocument } from "../../../core/text/document.ts";
import { trustedLimits } from "../../../core/text/trusted-limits.ts";
import type { ReplicaId, TextDocument, TextVersion } from "../../../core/text/types.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let canvasId: BlockId;

beforeAll(async () => {
  server = await startTestServer();
  const [canvas] = await server.workspace.canvases();
  if (canvas === undefined) throw new Error("a new workspace has a canvas");
  canvasId = canvas.id;
});

afterAll(() => server.close());

interface Page {
  readonly socket: WebSocket;
  readonly document: TextDocument;
  readonly replica: ReplicaId;
  /** How a push is answered. */
  push(requestId: string, update: Uint8Array): Promise<DownMessage["type"]>;
}

/** A client that has joined the canvas. */
async function openPage(clientId: string): Promise<Page> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`, { perMessageDeflate: false });
  const waiting = new Map<string, (message: DownMessage) => void>();
  const expected = (key: string): Promise<DownMessage> => new Promise((resolve) => waiting.set(key, resolve));
  socket.on("message", (data: Buffer) => {
    for (const message of JSON.parse(data.toString("utf8")) as DownMessage[]) {
      const key = "requestId" in message && message.requestId !== null ? String(message.requestId) : message.type;
      waiting.get(key)?.(message);
      waiting.delete(key);
    }
  });
  await new Promise((resolve) => socket.on("open", resolve));
  const welcomed = expected("welcome");
  const joined = expected("block-snapshot");
  socket.send(JSON.stringify({ type: "hello", protocol: protocolVersion, schemaHash, token: server.token, clientId }));
  const welcome = await welcomed;
  socket.send(JSON.stringify({ type: "watch-block", blockId: canvasId, afterVersion: 0 }));
  const snapshot = await joined;
  if (welcome.type !== "welcome" || snapshot.type !== "block-snapshot") throw new Error("a page that has joined");
  const document = decodeDocument(Buffer.from(snapshot.text, "base64"), trustedLimits);
  if (!document.ok) throw new Error("a document");
  return {
    socket,
    document: document.value,
    replica: welcome.replica,
    async push(requestId, update) {
      const answered = expected(requestId);
      const body = Buffer.from(update).toString("base64");
      socket.send(JSON.stringify({ type: "push", requestId, blockId: canvasId, update: body }));
      return (await answered).type;
    },
  };
}

function insert(
  page: Page,
  text: string,
  at: TextVersion,
): { readonly update: Uint8Array; readonly after: TextVersion } {
  const edited = page.document.edit(page.replica, [{ from: 0, to: 0, insert: text }], at);
  const [span] = edited.ok ? edited.value.spans : [];
  if (!edited.ok || span === undefined) throw new Error("an edit");
  return { update: edited.value.update, after: [{ replica: page.replica, seq: span.seq + span.length - 1 }] };
}

/** Builds an update that jumps between two long branches until it is refused: the most expensive update. */
function expensiveUpdate(page: Page): Uint8Array {
  const base = page.document.version();
  let here = base;
  for (let count = 0; count < 400; count += 1) here = insert(page, "h", here).after;
  let there = base;
  for (let count = 0; count < 400; count += 1) {
    there = insert(page, "t", there).after;
    here = insert(page, "h", here).after;
  }
  return page.document.updateSince(base);
}

const typedAfterMs = 20;

test("a hostile client delays another's edit by at most 100 ms, however many expensive updates it sends at once", async () => {
  const hostile = await openPage("hostile-client-0001");
  const honest = await openPage("honest-client-00001");
  const update = expensiveUpdate(hostile);
  const rounds: { readonly delayMs: number; readonly floodMs: number }[] = [];
  for (let round = 0; round < 5; round += 1) {
    const startedAt = performance.now();
    const flood = Array.from({ length: 40 }, (_, index) => hostile.push(`dear-${round}-${index}`, update));
    // Another person types while most of the flood waits. This process may be too busy to do so in time; the delay
    // counts anyway.
    await new Promise((resolve) => setTimeout(resolve, typedAfterMs));
    const { update: typed } = insert(honest, `word ${round} `, honest.document.version());
    const answer = await honest.push(`typed-${round}`, typed);
    expect(answer).toBe("pushed");
    const delayMs = performance.now() - startedAt - typedAfterMs;
    expect(new Set(await Promise.all(flood))).toEqual(new Set(["refused"]));
    const floodMs = performance.now() - startedAt;
    rounds.push({ delayMs, floodMs });
    // Otherwise there was nothing to wait for.
    expect(floodMs).toBeGreaterThan(200);
  }
  // A busy or slow machine delays some edits; an unfair queue would delay all of them by the whole flood.
  const [, delay] = rounds.toSorted((a, b) => a.delayMs - b.delayMs);
  expect(delay?.delayMs).toBeLessThan(Math.max(100, (delay?.floodMs ?? 0) / 10));
  hostile.socket.terminate();
  honest.socket.terminate();
}, 60_000);
