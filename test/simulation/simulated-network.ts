import { EventEmitter } from "node:events";
import type { WebSocket } from "ws";
import type { SocketLike, SocketListener } from "../../src/client/base/types.ts";
import type { Clock } from "../../src/core/port/platform.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

/** A network that delays frames, in order, and cuts connections, losing the frames in transit. */
export interface SimulatedNetwork {
  /** Opens a socket for a client; it reaches the server of that moment. */
  open(client: number, listener: SocketListener): SocketLike;
  /** Cuts a client's connection. While `barred`, the client gets no new one. */
  cut(client: number, barred: boolean): void;
  unbar(client: number): void;
  /** Replaces the server (null: nobody answers) and cuts every connection to the previous one. */
  serve(accept: ((socket: WebSocket) => void) | null): void;
}

export function simulatedNetwork(clock: Clock, random: SeededRandom): SimulatedNetwork {
  const wires = new Map<number, Wire>();
  const barred = new Set<number>();
  let accept: ((socket: WebSocket) => void) | null = null;

  return {
    open(client, listener) {
      const wire = new Wire({ clock, delayMs: () => 1 + random.below(random.oneIn(10) ? 300 : 30), listener });
      wires.set(client, wire);
      wire.later(() => {
        if (accept === null || barred.has(client)) wire.cut();
        else wire.connect(accept);
      });
      return wire.clientSide;
    },
    cut(client, isBarred) {
      if (isBarred) barred.add(client);
      wires.get(client)?.cut();
    },
    unbar(client) {
      barred.delete(client);
    },
    serve(next) {
      accept = next;
      for (const wire of wires.values()) wire.cut();
    },
  };
}

/** One connection: two ends, each with frames in transit that arrive in order. */
class Wire {
  readonly #clock: Clock;
  readonly #delayMs: () => number;
  readonly #listener: SocketListener;
  readonly #server = new ServerEnd(this);
  #open = true;
  #connected = false;
  #arrivesUp = 0;
  #arrivesDown = 0;

  constructor(options: { readonly clock: Clock; readonly delayMs: () => number; readonly listener: SocketListener }) {
    this.#clock = options.clock;
    this.#delayMs = options.delayMs;
    this.#listener = options.listener;
  }

  readonly clientSide: SocketLike = {
    send: (frame) => {
      this.#arrivesUp = this.#after(this.#arrivesUp, () => this.#server.emit("message", Buffer.from(frame), false));
    },
    close: () => this.#end(1000),
  };

  connect(accept: (socket: WebSocket) => void): void {
    this.#connected = true;
    // The server uses only the part of a WebSocket that ServerEnd implements.
    accept(this.#server as unknown as WebSocket);
    this.#listener.opened();
  }

  later(work: () => void): void {
    this.#after(0, work);
  }

  down(frame: string): void {
    this.#arrivesDown = this.#after(this.#arrivesDown, () => this.#listener.received(frame));
  }

  cut(): void {
    this.#end(1006);
  }

  /** Closed by the server: earlier frames still arrive. */
  closeFromServer(code: number): void {
    this.#arrivesDown = this.#after(this.#arrivesDown, () => this.#end(code));
  }

  get isOpen(): boolean {
    return this.#open;
  }

  #end(code: number): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#connected) this.#server.emit("close", code);
    this.#listener.closed(code);
  }

  #after(notBefore: number, work: () => void): number {
    const at = Math.max(notBefore, this.#clock.monotonic() + this.#delayMs());
    this.#clock.setTimer(at - this.#clock.monotonic(), () => {
      if (this.#open) work();
    });
    return at;
  }
}

class ServerEnd extends EventEmitter {
  readonly OPEN = 1;
  readonly isPaused = false;
  readonly bufferedAmount = 0;
  readonly #wire: Wire;

  constructor(wire: Wire) {
    super();
    this.#wire = wire;
  }

  get readyState(): number {
    return this.#wire.isOpen ? 1 : 3;
  }

  send(frame: Buffer): void {
    this.#wire.down(frame.toString("utf8"));
  }

  close(code: number): void {
    this.#wire.closeFromServer(code);
  }

  terminate(): void {
    this.#wire.cut();
  }

  ping(): void {
    this.emit("pong");
  }

  pause(): void {}

  resume(): void {}
}
