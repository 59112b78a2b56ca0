import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { plainAnthropicCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { createHttpModel } from "../../src/adapters/providers/shared/http-model.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { requestOf } from "./wires.ts";
import { infoOf, realDeps } from "./test-deps.ts";

const abortMs = 100;
const aborts = 50;

/** Reports when the request with a number arrives, and when its socket is closed. */
const arrived = new Map<string, PromiseWithResolvers<void>>();
const closed = new Map<string, PromiseWithResolvers<number>>();
let server: Server;
let url = "";

const event = (data: object): string =>
  `event: ${"type" in data ? String(data.type) : ""}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * The provider's endless behaviours: silence, silence after the head, a word every few milliseconds, or words at full
 * speed.
 */
const behaviours: Readonly<Record<string, (outgoing: ServerResponse) => void>> = {
  "never answers": () => undefined,
  "falls silent in mid-reply": (outgoing) => outgoing.write(opening),
  trickles: (outgoing) => {
    outgoing.write(opening);
    const timer = setInterval(() => outgoing.write(word), 2);
    outgoing.on("close", () => clearInterval(timer));
  },
  pours: (outgoing) => {
    outgoing.write(opening);
    const pour = (): void => {
      while (!outgoing.destroyed && outgoing.write(word.repeat(50)));
    };
    outgoing.on("drain", pour);
    pour();
  },
  "hangs in mid-event": (outgoing) => outgoing.write(opening + word.slice(0, -9)),
};

const opening =
  event({ type: "message_start", message: { id: "m", usage: {} } }) +
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
const word = event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "word " } });

beforeAll(async () => {
  server = createServer((incoming, outgoing) => {
    const [, behaviour = "", number = ""] = (incoming.url ?? "").split("/").map(decodeURIComponent);
    incoming.socket.on("close", () => closed.get(number)?.resolve(performance.now()));
    incoming.resume();
    arrived.get(number)?.resolve();
    if (behaviour === "never answers") return;
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    behaviours[behaviour]?.(outgoing);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Aborts one reply and returns how long the reply and its socket took to end, in milliseconds. */
async function abortOne(behaviour: string, number: string, afterMs: number): Promise<readonly [number, number]> {
  const socket = Promise.withResolvers<number>();
  const arrival = Promise.withResolvers<void>();
  closed.set(number, socket);
  arrived.set(number, arrival);
  const baseUrl = `${url}/${encodeURIComponent(behaviour)}/${number}`;
  const codec = anthropicCodec(plainAnthropicCompat);
  const model = createHttpModel({ info: infoOf("anthropic/m"), baseUrl, codec, streamed: true }, realDeps);
  const controller = new AbortController();
  const reading = (async (): Promise<readonly [StreamPart | undefined, number]> => {
    let last: StreamPart | undefined;
    for await (const part of model.stream(
      requestOf([{ role: "user", content: [{ type: "text", text: "hi" }] }]),
      controller.signal,
    ))
      last = part;
    return [last, performance.now()];
  })();
  await arrival.promise;
  await delay(afterMs);
  const aborted = performance.now();
  controller.abort();
  const [last, ended] = await reading;
  expect(last?.type === "failed" ? last.failure.class : last?.type).toBe("cancelled");
  return [ended - aborted, (await socket.promise) - aborted];
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;
}

test.each(Object.keys(behaviours))(
  `${aborts} aborts of a reply from a server that %s: the stream ends and its socket is closed within ${abortMs} ms (p95)`,
  async (behaviour) => {
    const times: (readonly [number, number])[] = [];
    // At random moments of the reply.
    for (let n = 0; n < aborts; n += 1) times.push(await abortOne(behaviour, `${behaviour}-${n}`, (n * 7) % 30));
    const [streams, sockets] = [times.map(([stream]) => stream), times.map(([, socket]) => socket)];
    console.log(`${behaviour}: stream p95 ${p95(streams).toFixed(1)} ms, socket p95 ${p95(sockets).toFixed(1)} ms`);
    expect(p95(streams)).toBeLessThanOrEqual(abortMs);
    expect(p95(sockets)).toBeLessThanOrEqual(abortMs);
  },
  30_000,
);
