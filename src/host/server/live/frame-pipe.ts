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
