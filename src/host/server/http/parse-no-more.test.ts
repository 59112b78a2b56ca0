import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { ConnectionGate } from "./connection-gate.ts";
import { parseNoMoreAfterEnd } from "./parse-no-more.ts";

/** Sends a thousand requests in one piece; resolves once the server has ended the connection. */
async function sendThousand(http: Server): Promise<void> {
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const socket = connect((http.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  const requests = Array.from({ length: 1_000 }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: a\r\n\r\n`);
  socket.write(requests.join(""));
  await once(socket, "close");
  http.close();
}

test("19.2 of a thousand requests in one piece, the server reads none after it has ended the connection", async () => {
  const http = createServer();
  const paths: string[] = [];
  http.on("connection", (socket) => parseNoMoreAfterEnd(socket));
  http.on("request", (request) => {
    paths.push(request.url ?? "");
    if (request.url === "/2") request.socket.destroy();
  });
  await sendThousand(http);
  expect(paths).toEqual(["/0", "/1", "/2"]);
});

test("19.2 the gate ends a connection at its second request, and reads none after that", async () => {
  const http = createServer();
  const gate = new ConnectionGate(http, simulatedClock());
  const admitted: unknown[] = [];
  http.on("request", (request, response) => admitted.push(gate.begin(request.socket, response, false)));
  await sendThousand(http);
  gate.close();
  expect(admitted).toEqual([{ type: "begin", waitMs: 0 }, null]);
});

test("a socket without a parser, as an upgraded one, is left alone", () => {
  const socket = { destroyed: false, parser: null };
  parseNoMoreAfterEnd(socket);
  expect(socket).toEqual({ destroyed: false, parser: null });
});
