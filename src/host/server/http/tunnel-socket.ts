import { Duplex } from "node:stream";
import type { NodeMeters } from "../../../core/port/node-meters.ts";

/** Counts what a tunnel carries. */
type TunnelMeters = Pick<NodeMeters, "linkCarried" | "linkStalled">;

/**
 * A socket whose bytes travel through another stream: what a client sent to another node of a cluster, as if the client had
 * connected here.
 */
export class TunnelSocket extends Duplex {
  /** The client's own address, as the node that it reached says. */
  readonly remoteAddress: string;
  bytesWritten = 0;
  bytesRead = 0;
  readonly #stream: Duplex;
  readonly #meters: TunnelMeters | undefined;

  constructor(stream: Duplex, remoteAddress: string, meters?: TunnelMeters) {
    super({ allowHalfOpen: false });
    this.#stream = stream;
    this.#meters = meters;
    this.remoteAddress = remoteAddress;
    stream.on("data", (data: Buffer) => {
      this.bytesRead += data.length;
      meters?.linkCarried("in", data.length);
      if (!this.push(data)) stream.pause();
    });
    stream.on("end", () => this.push(null));
    stream.on("error", (problem) => this.destroy(problem));
    stream.on("close", () => this.destroy());
    stream.pause();
  }

  override _read(): void {
    this.#stream.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (problem?: Error | null) => void): void {
    this.bytesWritten += chunk.length;
    if (this.#stream.destroyed) return done(new Error("the link was lost"));
    this.#meters?.linkCarried("out", chunk.length);
    if (!this.#stream.write(chunk, done)) this.#meters?.linkStalled();
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    done: (problem?: Error | null) => void,
  ): void {
    const bytes = chunks.map(({ chunk, encoding }) =>
      typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk,
    );
    this._write(Buffer.concat(bytes), "binary", done);
  }

  override _final(done: () => void): void {
    this.#stream.end(done);
  }

  override _destroy(problem: Error | null, done: (problem: Error | null) => void): void {
    this.#stream.destroy();
    done(problem);
  }

  // What HTTP asks of a socket of the system. Its time limits are those of the HTTP server; the link watches itself.
  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
