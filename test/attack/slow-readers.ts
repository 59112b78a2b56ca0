import type { Socket } from "node:net";
import { usualBound, type Attack, type Target } from "./attack.ts";
import { forSeconds, openBare, requestBytes } from "./bare-socket.ts";

/** Connections that ask once and never read: each may hold one answer, and not for long. */
export const slowReaders: Attack = {
  says: "200 connections that ask for the app's largest file and never read it",
  async run({ port, seconds }: Target) {
    const page = await (await fetch(`http://127.0.0.1:${port}/`)).text();
    const path = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? "/";
    const sockets: Socket[] = [];
    for (let at = 0; at < 200; at += 1) {
      const socket = openBare(port, requestBytes(port, path));
      socket.pause();
      sockets.push(socket);
    }
    await forSeconds(seconds, () => {}, 50);
    return [];
  },
  bound: usualBound,
};
