import { once } from "node:events";
import { connect } from "node:net";
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
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  await closed;
  clearInterval(drip);
  expect(performance.now() - before).toBeLessThan(10_000);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});
