import { once } from "node:events";
import { usualBound, type Attack, type Target } from "./attack.ts";
import { openBare } from "./bare-socket.ts";

/** Requests that two readers could cut at different places. None may reach a second request behind the first. */
const shapes: readonly (readonly [name: string, headers: readonly string[], body: string])[] = [
  ["two lengths", ["Content-Length: 5", "Content-Length: 0"], ""],
  ["length and chunks", ["Content-Length: 4", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
  ["chunks and length", ["Transfer-Encoding: chunked", "Content-Length: 4"], "0\r\n\r\n"],
  ["a length with a sign", ["Content-Length: +0"], ""],
  ["a negative length", ["Content-Length: -1"], ""],
  ["a hexadecimal length", ["Content-Length: 0x0"], ""],
  ["a list of lengths", ["Content-Length: 0, 0"], ""],
  ["an empty length", ["Content-Length: "], ""],
  ["a space before the colon", ["Content-Length : 0"], ""],
  ["a folded header", ["X-A: b", " Content-Length: 0"], ""],
  ["an unknown coding", ["Transfer-Encoding: xchunked"], "0\r\n\r\n"],
  ["chunked, then identity", ["Transfer-Encoding: chunked, identity"], "0\r\n\r\n"],
  ["chunked twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], "0\r\n\r\n"],
  ["a vertical tab in the coding", ["Transfer-Encoding: \vchunked"], "0\r\n\r\n"],
  ["a bare line feed", ["X-A: b\nX-B: c", "Content-Length: x"], ""],
  ["a bare carriage return", ["X-A: b\rContent-Length: 0"], ""],
  ["NUL in a header", ["X-A: \0"], ""],
  ["a header without a name", [": b"], ""],
  ["a chunk of negative size", ["Transfer-Encoding: chunked"], "-1\r\n\r\n"],
  ["a chunk size that overflows", ["Transfer-Encoding: chunked"], "fffffffffffffffff\r\n\r\n"],
  ["a chunk that is longer than its size", ["Transfer-Encoding: chunked"], "1\r\nabc\r\n0\r\n\r\n"],
  ["a chunk line with a bare line feed", ["Transfer-Encoding: chunked"], "0\n\n"],
  ["a second host", ["Host: evil.example"], ""],
];

/** Sends every shape with a request behind it, which must not be answered with 200. */
export const smuggling: Attack = {
  says: `${shapes.length} requests that two readers could cut differently, each with another request behind it`,
  async run({ port }: Target) {
    const found: string[] = [];
    for (const [name, headers, body] of shapes) {
      const head = ["POST /api/nodes/none/append HTTP/1.1", `Host: 127.0.0.1:${port}`, ...headers, "", ""].join("\r\n");
      const behind = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
      const socket = openBare(port, head + body + behind);
      let answer = "";
      socket.setEncoding("latin1").on("data", (piece: string) => (answer += piece));
      socket.on("end", () => socket.destroy());
      const late = setTimeout(() => socket.destroy(new Error("late")), 6_000);
      await once(socket, "close").catch(() => {});
      clearTimeout(late);
      if (answer.includes('"status":"ok"')) found.push(`${name}: the request behind it was answered`);
    }
    return found;
  },
  bound: usualBound,
};
