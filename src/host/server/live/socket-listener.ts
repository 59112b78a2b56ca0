import type { WebSocket } from "ws";

/** What a connection hears from its socket. */
export interface SocketListener {
  frameCame(data: Buffer, isBinary: boolean): void;
  socketClosed(): void;
  socketFailed(): void;
}

const listenerOf = Symbol("listener");

interface HeardSocket extends WebSocket {
  [listenerOf]?: SocketListener;
}

/** Listens to a socket with functions that all sockets share: closures of each would be a tenth of an idle connection. */
export function listen(socket: HeardSocket, listener: SocketListener): void {
  socket[listenerOf] = listener;
  socket.on("message", onMessage);
  socket.on("close", onClose);
  socket.on("error", onError);
}

function onMessage(this: HeardSocket, data: Buffer, isBinary: boolean): void {
  this[listenerOf]?.frameCame(data, isBinary);
}

function onClose(this: HeardSocket): void {
  this[listenerOf]?.socketClosed();
}

function onError(this: HeardSocket): void {
  this[listenerOf]?.socketFailed();
}
