import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { TextFrame } from "./text-frame.ts";

/** The output of one connection's frames. */
export interface FramePipe {
  readonly isOpen: boolean;
  /** Bytes sent that the system has not accepted yet. */
  readonly unreadBytes: number;
  /** Calls back whenever unread data was accepted, from the first call on; the callback is always the same. */
  callOnDrain(onDrained: () => void): void;
  send(frame: TextFrame): void;
}

/**
 * Opens a pipe into a WebSocket. Over a stream the bytes of a frame are written as they are, in one write, shared by
 * all readers; the library would write its own header and the bytes separately. That is safe because the library writes
 * its own frames (pings, the close) whole and synchronously: Heddle uses neither its compression nor blobs, which it
 * queues. Most connections never wait to be drained, and an idle one shall cost little: they listen for it when asked to.
 */
export function openFramePipe(socket: WebSocket, stream: Duplex | null): FramePipe {
  return stream === null ? new LibraryPipe(socket) : new StreamPipe(socket, stream);
}

class StreamPipe implements FramePipe {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  #listens = false;

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

  callOnDrain(onDrained: () => void): void {
    if (this.#listens) return;
    this.#listens = true;
    this.#stream.on("drain", onDrained);
  }

  send({ bytes }: TextFrame): void {
    if (this.isOpen) this.#stream.write(bytes);
  }
}

class LibraryPipe implements FramePipe {
  readonly #socket: WebSocket;
  #onDrained: (() => void) | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get unreadBytes(): number {
    return this.#socket.bufferedAmount;
  }

  callOnDrain(onDrained: () => void): void {
    this.#onDrained = onDrained;
  }

  send({ payload }: TextFrame): void {
    this.#socket.send(payload, { binary: false }, () => this.#onDrained?.());
  }
}
