import type { ClientPlatform, SocketLike, SocketListener } from "../base/types.ts";

/** The default platform: the browser's WebSocket, clock, timers and network events. */
export const browserPlatform: ClientPlatform = {
  openSocket(url: string, listener: SocketListener): SocketLike {
    const socket = new WebSocket(url);
    socket.addEventListener("open", () => listener.opened());
    socket.addEventListener("message", (event: MessageEvent<unknown>) => {
      listener.received(typeof event.data === "string" ? event.data : "");
    });
    socket.addEventListener("close", (event) => listener.closed(event.code));
    return {
      send: (frame) => socket.send(frame),
      close: () => socket.close(),
    };
  },
  now: () => Date.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  onOnline(callback) {
    if (typeof globalThis.addEventListener !== "function") return () => {};
    globalThis.addEventListener("online", callback);
    return () => globalThis.removeEventListener("online", callback);
  },
};
