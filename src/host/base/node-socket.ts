import { WebSocket } from "ws";
import type { SocketLike, SocketListener } from "../../client/base/types.ts";

/** Opens a socket of the `ws` package, as the client expects it. */
export function openNodeSocket(url: string, listener: SocketListener): SocketLike {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.on("open", () => listener.opened());
  socket.on("message", (data: Buffer) => listener.received(data.toString("utf8")));
  socket.on("close", (code: number) => listener.closed(code));
  // The close event that follows says everything.
  socket.on("error", () => {});
  return { send: (frame) => socket.send(frame), close: () => socket.close() };
}
