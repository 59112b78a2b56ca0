import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { TextFrame } from "./text-frame.ts";

/** Where the frames of one connection go out. */
export interface FramePipe {
  readonly isOpen: boolean;
  /** What has been sent and the system has not taken. */
  readonly unreadBytes: number;
  send(frame: TextFrame): void;
}

/**
 * A pipe into a WebSocket. Over a stream the bytes of a frame are written as they are, one write for however many
 * readers share them; the library would put a header of its own before each and write both. That is safe because it writes
 * its own frames (pings, the closing) whole and at once, too: we use neither its compression nor blobs, which it queues.
 * `onDrained` is called when something that had to wait has been taken.
 */
export function openFramePipe(socket: WebSocket, stream: Duplex | null, onDrained: () => void): FramePipe {
  if (stream === null) {
    return {
      get isOpen() {
        return socket.readyState === socket.OPEN;
      },
      get unreadBytes() {
        return socket.bufferedAmount;
      },
      send: ({ payload }) => socket.send(payload, { binary: false }, onDrained),
    };
  }
  stream.on("drain", onDrained);
  return {
    get isOpen() {
      return socket.readyState === socket.OPEN;
    },
    get unreadBytes() {
      return stream.writableLength;
    },
    send({ bytes }) {
      if (socket.readyState === socket.OPEN) stream.write(bytes);
    },
  };
}
