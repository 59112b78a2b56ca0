import type { EventEmitter } from "node:events";
import type { Clock } from "../../../core/port/platform.ts";
import { parseNoMoreAfterEnd } from "./parse-no-more.ts";
import { serverLimits } from "./server-limits.ts";
import { TokenBucket } from "./token-bucket.ts";

/** What the gate uses of a socket. */
export interface GateSocket {
  readonly remoteAddress?: string | undefined;
  readonly destroyed: boolean;
  readonly bytesWritten: number;
  readonly writableLength: number;
  readonly parser?: { onIncoming?: unknown } | null;
  destroy(): unknown;
  pause(): unknown;
  resume(): unknown;
  once(event: "close", listener: () => void): unknown;
  on(event: "close", listener: () => void): unknown;
  off(event: "close", listener: () => void): unknown;
}

/** What the gate knows of a connection that speaks HTTP. */
interface Line {
  readonly address: string;
  /** Whether a request on it had a valid token. */
  letIn: boolean;
  busy: boolean;
  readonly requests: TokenBucket;
  /** Bytes sent at the last look, and since when nothing more was read of what waits to be sent; null if nothing waits. */
  sentBytes: number;
  unreadSinceMs: number | null;
}

/** What becomes of a request: it waits so long before it is begun, or is refused because of the rate. */
export type Admission = { readonly type: "begin"; readonly waitMs: number } | { readonly type: "refused" };

/**
 * Bounds what HTTP connections cost: one request at a time on each, a rate for each and for all strangers of an address, few
 * strangers, and an end to answers that nobody reads. A stranger has no valid token; whoever has one never waits for
 * strangers, and is never disconnected for them.
 */
export class ConnectionGate {
  readonly #clock: Clock;
  readonly #lines = new Map<GateSocket, Line>();
  /** The oldest first. */
  readonly #strangers = new Map<string, Set<GateSocket>>();
  readonly #strangerRates = new Map<string, TokenBucket>();
  #strangerCount = 0;
  #cancelLook: () => void;
  /** The same for all sockets, on which it is called: each open page has one. */
  readonly #onClose: (this: GateSocket) => void;

  constructor(http: EventEmitter, clock: Clock) {
    this.#clock = clock;
    this.#cancelLook = clock.setTimer(serverLimits.lookMs, () => this.#look());
    const closed = (socket: GateSocket): void => this.release(socket);
    this.#onClose = function onClose() {
      closed(this);
    };
    http.on("connection", (socket: GateSocket) => {
      parseNoMoreAfterEnd(socket);
      this.#opened(socket);
    });
  }

  /** Admits a request, or returns null after it ended a connection that sends requests before it has its answers. */
  begin(socket: GateSocket, response: EventEmitter, isKnown: boolean): Admission | null {
    const line = this.#lines.get(socket);
    if (line === undefined) return { type: "begin", waitMs: 0 };
    const nowMs = this.#clock.monotonic();
    if (line.busy) {
      // Making and ending such a connection costs; others of this address wait for it.
      if (!socket.destroyed) this.#rateOf(line.address, nowMs).take(serverLimits.pipeliningCost, nowMs);
      socket.destroy();
      return null;
    }
    line.busy = true;
    response.once("close", () => (line.busy = false));
    if (isKnown && !line.letIn) this.#letIn(socket, line);
    const ofLine = line.requests.take(1, nowMs);
    const waitMs = isKnown ? ofLine : Math.max(ofLine, this.#rateOf(line.address, nowMs).take(1, nowMs));
    return waitMs > serverLimits.requestWaitMs ? { type: "refused" } : { type: "begin", waitMs };
  }

  /** Leaves a connection that no longer speaks HTTP to others. */
  release(socket: GateSocket): void {
    const line = this.#lines.get(socket);
    if (line === undefined) return;
    this.#lines.delete(socket);
    socket.off("close", this.#onClose);
    if (!line.letIn) this.#forgetStranger(socket, line);
  }

  /** Connections and addresses that are kept in mind. */
  get size(): number {
    return this.#lines.size + this.#strangerRates.size;
  }

  close(): void {
    this.#cancelLook();
  }

  #opened(socket: GateSocket): void {
    const address = socket.remoteAddress ?? "";
    const strangers = this.#strangers.get(address) ?? new Set();
    if (strangers.size >= serverLimits.strangersOfAddressMax) this.#cutOne(strangers);
    else if (this.#strangerCount >= serverLimits.strangersMax) this.#cutOne(this.#mostStrangers());
    const nowMs = this.#clock.monotonic();
    const requests = new TokenBucket(serverLimits.requestRate, nowMs);
    this.#lines.set(socket, { address, letIn: false, busy: false, requests, sentBytes: 0, unreadSinceMs: null });
    this.#strangers.set(address, strangers.add(socket));
    this.#strangerCount += 1;
    socket.on("close", this.#onClose);
    const waitMs = this.#rateOf(address, nowMs).take(1, nowMs);
    if (waitMs > 0) this.#readLater(socket, waitMs);
  }

  /** Leaves what a connection sends unread for a time. */
  #readLater(socket: GateSocket, waitMs: number): void {
    socket.pause();
    const cancel = this.#clock.setTimer(waitMs, () => socket.resume());
    socket.once("close", cancel);
  }

  #letIn(socket: GateSocket, line: Line): void {
    line.letIn = true;
    this.#forgetStranger(socket, line);
  }

  #forgetStranger(socket: GateSocket, { address }: Line): void {
    const strangers = this.#strangers.get(address);
    if (strangers?.delete(socket) !== true) return;
    this.#strangerCount -= 1;
    if (strangers.size === 0) this.#strangers.delete(address);
  }

  /** Disconnects the oldest stranger that has no request, else the oldest. */
  #cutOne(strangers: ReadonlySet<GateSocket>): void {
    let cut: GateSocket | null = null;
    for (const socket of strangers) {
      cut ??= socket;
      if (this.#lines.get(socket)?.busy === true) continue;
      cut = socket;
      break;
    }
    if (cut === null) return;
    this.release(cut);
    cut.destroy();
  }

  #mostStrangers(): ReadonlySet<GateSocket> {
    let most: ReadonlySet<GateSocket> = new Set();
    for (const strangers of this.#strangers.values()) if (strangers.size > most.size) most = strangers;
    return most;
  }

  #rateOf(address: string, nowMs: number): TokenBucket {
    const rate = this.#strangerRates.get(address) ?? new TokenBucket(serverLimits.strangerRate, nowMs);
    this.#strangerRates.set(address, rate);
    return rate;
  }

  /** Disconnects those that leave an answer unread, and forgets the rates of addresses that are quiet. */
  #look(): void {
    const nowMs = this.#clock.monotonic();
    for (const [socket, line] of this.#lines) {
      const sentBytes = socket.bytesWritten - socket.writableLength;
      const isStuck = socket.writableLength > 0 && sentBytes === line.sentBytes;
      line.sentBytes = sentBytes;
      line.unreadSinceMs = isStuck ? (line.unreadSinceMs ?? nowMs) : null;
      if (line.unreadSinceMs !== null && nowMs - line.unreadSinceMs >= serverLimits.unreadMs) socket.destroy();
    }
    for (const [address, rate] of this.#strangerRates) {
      if (!this.#strangers.has(address) && rate.isFull(nowMs)) this.#strangerRates.delete(address);
    }
    this.#cancelLook = this.#clock.setTimer(serverLimits.lookMs, () => this.#look());
  }
}
