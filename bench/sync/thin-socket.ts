import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

/**
 * A WebSocket client that costs almost nothing, so that a load of hundreds leaves the processor to the server: frames
 * are masked with zeros, and incoming bytes are only counted unless somebody wants to read them.
 */
export class ThinSocket {
  readonly #socket: Socket;
  #read: ((frame: Buffer) => void) | null;
  #rest: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  /** Number of bytes received. */
  bytes = 0;

  private constructor(socket: Socket, read: ((frame: Buffer) => void) | null) {
    this.#socket = socket;
    this.#read = read;
    socket.on("data", (data: Buffer) => this.#take(data));
  }

  static open(url: { port: number; path: string }, read: ((frame: Buffer) => void) | null): Promise<ThinSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: url.port, host: "127.0.0.1", noDelay: true });
      socket.on("error", reject);
      socket.write(
        `GET ${url.path} HTTP/1.1\r\nHost: 127.0.0.1:${url.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      );
      let head = Buffer.alloc(0);
      const onHead = (data: Buffer): void => {
        head = Buffer.concat([head, data]);
        const end = head.indexOf("\r\n\r\n");
        if (end === -1) return;
        socket.off("data", onHead);
        const thin = new ThinSocket(socket, read);
        thin.#take(head.subarray(end + 4));
        resolve(thin);
      };
      socket.on("data", onHead);
    });
  }

  /** Whether to read frames from now on; after false, frames are never read again. */
  ignore(): void {
    this.#read = null;
    this.#rest = Buffer.alloc(0);
  }

  send(frame: Buffer): void {
    this.#socket.write(frame);
  }

  pause(): void {
    this.#socket.pause();
  }

  /** Reads on, and returns whether the stream ends. */
  endsWithin(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(false), ms);
      this.#socket.once("close", () => {
        clearTimeout(late);
        resolve(true);
      });
      this.#socket.resume();
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(data: Buffer): void {
    this.bytes += data.length;
    if (this.#read === null) return;
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    for (let frame = this.#next(); frame !== null; frame = this.#next()) {
      const { opcode, final, payload } = frame;
      if (opcode > 2) continue;
      this.#parts.push(payload);
      if (!final) continue;
      const whole = this.#parts.length === 1 ? payload : Buffer.concat(this.#parts);
      this.#parts = [];
      this.#read?.(whole);
    }
  }

  #next(): { readonly opcode: number; readonly final: boolean; readonly payload: Buffer } | null {
    const rest = this.#rest;
    if (rest.length < 2) return null;
    const first = rest[0] ?? 0;
    const short = (rest[1] ?? 0) & 127;
    const head = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (rest.length < head) return null;
    const length = short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short;
    if (rest.length < head + length) return null;
    this.#rest = rest.subarray(head + length);
    return { opcode: first & 15, final: first >= 128, payload: rest.subarray(head, head + length) };
  }
}

/** A client's frame, ready to send. */
export function clientFrame(payload: Buffer, opcode: 1 | 2): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 6 : length < 65_536 ? 8 : 14);
  head[0] = 128 | opcode;
  if (length < 126) head[1] = 128 | length;
  else if (length < 65_536) {
    head[1] = 128 | 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 128 | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}
