import { WebSocket } from "ws";
import type { SocketLike, SocketListener } from "../../client/types.ts";

/** A socket of the `ws` package, as the client wants it. */
export function openNodeSocket(url: string, listener: SocketListener): SocketLike {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.on("open", () => listener.opened());
  socket.on("message", (data: Buffer) => listener.received(data.toString("utf8")));
  socket.on("close", (code: number) => listener.closed(code));
  // The close that follows says all there is to say.
  socket.on("error", () => {});
  return { send: (frame) => socket.send(frame), close: () => socket.close() };
}
