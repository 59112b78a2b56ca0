import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { infoOf, realDeps } from "../../../../test/providers/test-deps.ts";
import { requestOf } from "../../../../test/providers/wires.ts";
import { anthropicCodec } from "../anthropic/codec.ts";
import { plainAnthropicCompat } from "../anthropic/compat.ts";
import { createHttpModel } from "./http-model.ts";

const whole = [
  { type: "message_start", message: { id: "m", usage: {} } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "word" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
]
  .map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
  .join("");

/** Reads two replies, one after the other, from a server that ends each in its own way; returns the connections it had. */
async function connectionsOf(finish: (outgoing: ServerResponse) => void): Promise<number> {
  let connections = 0;
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write(whole);
    finish(outgoing);
  }).on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const codec = anthropicCodec(plainAnthropicCompat);
  const model = createHttpModel({ info: infoOf("a/b"), baseUrl, codec, streamed: true }, realDeps);
  for (let reply = 0; reply < 2; reply += 1) {
    const ends: string[] = [];
    for await (const { type } of model.stream(
      requestOf([{ role: "user", content: [{ type: "text", text: "hello" }] }]),
      new AbortController().signal,
    ))
      ends.push(type);
    expect(ends.at(-1)).toBe("finished");
    // The server's last bytes are on their way.
    await delay(50);
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return connections;
}

test("the next request goes over the connection of a reply that is complete, also where its body ends a moment later", async () => {
  expect(await connectionsOf((outgoing) => void setTimeout(() => outgoing.end(), 10))).toBe(1);
});

test("a server that goes on after a complete reply is left", async () => {
  const pours = connectionsOf((outgoing) => {
    const pour = (): void => {
      while (!outgoing.destroyed && outgoing.write(": more\n".repeat(1_000)));
    };
    outgoing.on("drain", pour);
    pour();
  });
  expect(await pours).toBeGreaterThan(1);
});
