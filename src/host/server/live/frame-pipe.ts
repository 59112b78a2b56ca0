import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { TextFrame } from "./text-frame.ts";

/** The output of one connection's frames. */
export interface FramePipe {
  readonly isOpen: boolean;
  /** Bytes sent that the system has not accepted yet. */
  readonly unreadBytes: number;
  /** Grows whenever something came from the other side, were it the answer to a ping. */
  readonly arrivals: number;
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
  return stream === null || !isCounting(stream) ? new LibraryPipe(socket) : new StreamPipe(socket, stream);
}

/** A stream that knows how many bytes came through it, as sockets do. */
interface CountingStream extends Duplex {
  readonly bytesRead: number;
}

function isCounting(stream: Duplex): stream is CountingStream {
  return "bytesRead" in stream && typeof stream.bytesRead === "number";
}

class StreamPipe implements FramePipe {
  readonly #socket: WebSocket;
  readonly #stream: CountingStream;
  #listens = false;

  constructor(socket: WebSocket, stream: CountingStream) {
    this.#socket = socket;
    this.#stream = stream;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get unreadBytes(): number {
    return this.#stream.writableLength;
  }

  get arrivals(): number {
    return this.#stream.bytesRead;
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
  arrivals = 0;
  #onDrained: (() => void) | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("pong", () => {
      this.arrivals += 1;
    });
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
