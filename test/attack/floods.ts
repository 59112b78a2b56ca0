import type { Socket } from "node:net";
import { usualBound, type Attack, type Target } from "./attack.ts";
import { forSeconds, openBare, requestBytes } from "./bare-socket.ts";

/** Sockets that say nothing, or begin a request and never end it. */
export const silent: Attack = {
  says: "600 connections that send nothing, half a request or a refused upgrade, and never close",
  async run({ port, seconds, short }: Target) {
    const begins = [
      "",
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
      requestBytes(port, "/ws-not", ["Upgrade: websocket", "Connection: Upgrade"]),
      "no HTTP at all\r\n\r\n",
    ];
    const sockets: Socket[] = [];
    for (let at = 0; at < (short ? 300 : 600); at += 1) sockets.push(openBare(port, begins[at % begins.length]));
    for (const socket of sockets) socket.pause();
    await forSeconds(seconds, () => {}, 50);
    // A server that has closed a connection owes its descriptor to nobody; the attacker keeps all of its own.
    return [];
  },
  bound: usualBound,
};

/** Requests without a token, as fast as the server answers, on many connections. */
export const unauthenticated: Attack = {
  says: "requests with a wrong token on 100 connections, as fast as they are answered",
  async run({ port, seconds }: Target) {
    const ask = requestBytes(port, "/api/conversations", ["Authorization: Bearer wrong"]);
    let open = 0;
    let over = false;
    await forSeconds(seconds, () => {
      for (; open < 100; open += 1) {
        const socket = openBare(port, ask);
        socket.on("data", () => (over ? socket.destroy() : socket.write(ask)));
        socket.on("close", () => (open -= 1));
        socket.on("end", () => socket.destroy());
      }
    });
    over = true;
    return [];
  },
  bound: usualBound,
};

/** One connection after another, each with a request. */
export const churn: Attack = {
  says: "connections that are opened, asked once and dropped, as fast as they can be",
  async run({ port, seconds }: Target) {
    const ask = requestBytes(port, "/");
    let open = 0;
    await forSeconds(
      seconds,
      () => {
        for (; open < 100; open += 1) {
          const socket = openBare(port, ask);
          socket.on("data", () => socket.destroy());
          socket.on("end", () => socket.destroy());
          socket.on("close", () => (open -= 1));
        }
      },
      1,
    );
    return [];
  },
  bound: usualBound,
};
