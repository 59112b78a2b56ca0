import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { parseNoMoreAfterEnd } from "./parse-no-more.ts";

test("19.2 of a thousand requests in one piece, the server reads none after it has ended the connection", async () => {
  const http = createServer();
  const paths: string[] = [];
  http.on("connection", (socket) => parseNoMoreAfterEnd(socket));
  http.on("request", (request) => {
    paths.push(request.url ?? "");
    if (request.url === "/2") request.socket.destroy();
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const socket = connect((http.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  const requests = Array.from({ length: 1_000 }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: a\r\n\r\n`);
  socket.write(requests.join(""));
  await once(socket, "close");
  http.close();
  expect(paths).toEqual(["/0", "/1", "/2"]);
});

test("a socket without a parser, as an upgraded one, is left alone", () => {
  const socket = { destroyed: false, parser: null };
  parseNoMoreAfterEnd(socket);
  expect(socket).toEqual({ destroyed: false, parser: null });
});
