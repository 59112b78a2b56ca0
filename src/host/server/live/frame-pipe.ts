import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { TextFrame } from "./text-frame.ts";

/** The output of one connection's frames. */
export interface FramePipe {
  readonly isOpen: boolean;
  /** Bytes sent that the system has not accepted yet. */
  readonly unreadBytes: number;
  send(frame: TextFrame): void;
}

/**
 * Opens a pipe into a WebSocket. Over a stream the bytes of a frame are written as they are, in one write, shared by
 * all readers; the library would write its own header and the bytes separately. That is safe because the library writes
 * its own frames (pings, the close) whole and synchronously: Heddle uses neither its compression nor blobs, which it
 * queues. `onDrained` is called when pending data has been accepted.
 */
export function openFramePipe(socket: WebSocket, stream: Duplex | null, onDrained: () => void): FramePipe {
  if (stream === null) return new LibraryPipe(socket, onDrained);
  stream.on("drain", onDrained);
  return new StreamPipe(socket, stream);
}

class StreamPipe implements FramePipe {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;

  constructor(socket: WebSocket, stream: Duplex) {
    this.#socket = socket;
    this.#stream = stream;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get unreadBytes(): number {
    return this.#stream.writableLength;
  }

  send({ bytes }: TextFrame): void {
    if (this.isOpen) this.#stream.write(bytes);
  }
}

class LibraryPipe implements FramePipe {
  readonly #socket: WebSocket;
  readonly #onDrained: () => void;

  constructor(socket: WebSocket, onDrained: () => void) {
    this.#socket = socket;
    this.#onDrained = onDrained;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get unreadBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send({ payload }: TextFrame): void {
    this.#socket.send(payload, { binary: false }, this.#onDrained);
  }
}
