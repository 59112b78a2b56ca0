import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.close());

test("14: a request whose headers never end is closed within ten seconds, and other requests are answered meanwhile", async () => {
  const before = performance.now();
  const slow = connect(server.port, "127.0.0.1");
  let answer = "";
  slow.setEncoding("utf8").on("data", (piece: string) => (answer += piece));
  await once(slow, "connect");
  slow.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`);
  const drip = setInterval(() => slow.write("x-more: 1\r\n"), 500);
  slow.on("error", () => {});
  const closed = once(slow, "close");
  // These never close their own half, whatever the server says.
  const upgrade = `GET /no-ws HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`;
  const half = ["no HTTP\r\n\r\n", upgrade].map((bytes) => {
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => {});
    socket.write(bytes);
    return socket.resume();
  });
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  await closed;
  clearInterval(drip);
  expect(performance.now() - before).toBeLessThan(10_000);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  // A server that has destroyed its socket resets what is sent to it.
  const isReset = (socket: Socket): boolean => {
    socket.write("more");
    return socket.destroyed;
  };
  for (const socket of half) await expect.poll(() => isReset(socket)).toBe(true);
});
