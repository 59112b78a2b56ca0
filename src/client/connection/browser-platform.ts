import type { ClientPlatform, SocketLike, SocketListener } from "../base/types.ts";

/**
 * When a try to reconnect is due at once: the network or the person is back. The timers of a hidden page are slowed down to
 * one a minute.
 */
const wakeEvents = ["online", "focus", "pageshow", "visibilitychange"] as const;

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
    for (const name of wakeEvents) globalThis.addEventListener(name, callback);
    return () => {
      for (const name of wakeEvents) globalThis.removeEventListener(name, callback);
    };
  },
};
