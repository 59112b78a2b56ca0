import { WebSocket } from "ws";
import { errorTable } from "../../core/base/errors.ts";
import type { SocketLike, SocketListener } from "../../client/base/types.ts";

/** Opens a socket of the `ws` package, as the client expects it. A team's server asks for the token before it opens one. */
export function openNodeSocket(url: string, listener: SocketListener, token?: string): SocketLike {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, { perMessageDeflate: false, headers });
  socket.on("open", () => listener.opened());
  socket.on("message", (data: Buffer) => listener.received(data.toString("utf8")));
  let refused: number | null = null;
  socket.on("unexpected-response", (_, { statusCode }) => {
    // A refusal before the socket is open has a status and no close code; asking again would not change it.
    if (statusCode === errorTable.UNAUTHENTICATED.http) refused = errorTable.UNAUTHENTICATED.wsClose;
    socket.terminate();
  });
  socket.on("close", (code: number) => listener.closed(refused ?? code));
  // The close event that follows says everything.
  socket.on("error", () => {});
  return { send: (frame) => socket.send(frame), close: () => socket.close() };
}
