import {
  Agent,
  createServer,
  request as askOver,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createNetServer, type Server as NetServer, type Socket } from "node:net";
import { duplexPair, type Duplex } from "node:stream";
import { assert } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { hasExpired, type ClusterView } from "../../core/cluster/cluster-view.ts";
import type { Meters } from "../../core/port/meters.ts";
import type { NodeMeters } from "../../core/port/node-meters.ts";
import type { Clock } from "../../core/port/platform.ts";
import { ourAddresses, type AddressOptions, type Addresses } from "../server/http/addresses.ts";
import { endSocket } from "../server/http/end-socket.ts";
import { sendRefusal, closeAfterAnswer } from "../server/http/http-answer.ts";
import { metricsPath, sendMetrics } from "../server/http/metrics-answer.ts";
import { sendReadiness } from "../server/http/readiness.ts";
import { serverLimits } from "../server/http/server-limits.ts";
import { TunnelSocket } from "../server/http/tunnel-socket.ts";
import type { ClusterNode, NodeClaim } from "./cluster-node.ts";
import { LinkToOwner } from "./link.ts";
import { readinessOf } from "./readiness-of.ts";

/** What this process serves itself while it owns the workspace: takes a connection as if it had accepted it. */
export interface LocalServer {
  readonly claim: NodeClaim;
  take(socket: Duplex): void;
}

export interface EntryOptions {
  readonly node: ClusterNode;
  readonly secret: Uint8Array;
  readonly clock: Clock;
  readonly host: string;
  readonly port: number;
  /** The names and origins by which people reach this node. */
  readonly names: Omit<AddressOptions, "port">;
  /** What this process serves itself now. */
  readonly local: () => LocalServer | null;
  /** The meters of this process, and those of its node. */
  readonly meters?: { readonly all: Meters; readonly node: NodeMeters };
}

/** How long a client waits for a node that serves, and how often that is looked for. */
const waitMsMax = 10_000;
const againMs = 20;
/** How long before the owner's time runs out it counts as gone: a little sooner than it stops acting on its memory. */
const letGoMs = 350;
/** Clients that may wait at once. */
const waitingMax = 2_000;
const triesMax = 3;
/** What concerns one connection and not the message. */
const ownHeaders = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "expect"]);

/**
 * Two ends of a pipe, of which the near one is over once the far one is. A pair alone says so to who reads, and a connection that waits
 * in a pool is not read: what is asked over it would lie there for ever.
 */
function joinedPair(): readonly [near: Duplex, far: Duplex] {
  const [near, far] = duplexPair();
  far.once("close", () => {
    if (near.readableLength === 0) near.destroy();
    else near.once("end", () => near.destroy());
  });
  return [near, far];
}

/** No node serves the workspace now. */
class UnavailableError extends Error {
  override readonly name = "UnavailableError";
}

/** Where people reach a node of a cluster: serves them here, or passes what they say to the node that owns the workspace. */
export class Entry {
  readonly port: number;
  readonly #options: EntryOptions;
  readonly #listener: NetServer;
  readonly #http: Server;
  readonly #addresses: Addresses;
  readonly #sockets = new Set<Socket>();
  readonly #agents = new WeakMap<Duplex, Agent>();
  readonly #stopWatching: () => void;
  #link: LinkToOwner | null = null;
  #cancelLetGo = (): void => {};
  /** The rows by which the owner is let go. */
  #seen: ClusterView | null = null;
  /** Rows by which it was let go: nobody is passed on to it until newer ones are seen. */
  #givenUp: ClusterView | null = null;
  #waiting = 0;
  /** Resolves when it is worth trying again: one asks for all clients that wait. */
  #asking: Promise<void> | null = null;
  #isClosed = false;

  /** Listens; rejects with the error of the system, such as EADDRINUSE. */
  static async open(options: EntryOptions): Promise<Entry> {
    const listener = createNetServer({ noDelay: true });
    await new Promise<void>((resolve, reject) => {
      listener.once("error", reject);
      listener.listen({ host: options.host, port: options.port, exclusive: true }, () => {
        listener.off("error", reject);
        resolve();
      });
    });
    return new Entry(listener, options);
  }

  private constructor(listener: NetServer, options: EntryOptions) {
    const address = listener.address();
    assert(address !== null && typeof address === "object", "a server that listens has a port");
    this.port = address.port;
    this.#options = options;
    this.#listener = listener;
    this.#addresses = ourAddresses({ ...options.names, port: this.port });
    this.#http = createServer({
      headersTimeout: serverLimits.headersMs,
      requestTimeout: serverLimits.requestMs,
      maxHeaderSize: serverLimits.headerBytesMax,
      keepAliveTimeout: 5_000,
    });
    this.#http.on("request", (request, response) => void this.#pass(request, response));
    this.#http.on("upgrade", (request, socket, head) => void this.#passUpgrade(request, socket, head));
    this.#http.on("clientError", (_problem, socket) => socket.destroy());
    listener.on("connection", (socket) => this.#accept(socket));
    this.#stopWatching = options.node.onChanged(() => this.#ownerChanged());
  }

  /** Accepts nobody any more, and ends what is open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching();
    this.#cancelLetGo();
    this.#link?.close();
    const closed = new Promise<void>((resolve) => this.#listener.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    if (this.#sockets.size >= serverLimits.connectionsMax + serverLimits.strangersMax) return void socket.destroy();
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
    const local = this.#options.local();
    this.#options.meters?.node.clientCame(local === null ? "passed-on" : "here");
    if (local === null) this.#http.emit("connection", socket);
    else local.take(socket);
  }

  /** Cuts what goes to a node that no longer owns the workspace, so that clients come again at once. */
  #ownerChanged(): void {
    this.#letGoInTime();
    if (this.#link === null) return;
    const owner = this.#owner();
    if (owner !== null && this.#link.leadsTo(owner.claim)) return;
    this.#letGo();
  }

  /**
   * Lets go of an owner that does not renew its row, such as one that is stopped: its clients come again meanwhile, and wait here
   * when the next one serves.
   */
  #letGoInTime(): void {
    const { node, clock } = this.#options;
    const { view } = node.state;
    if (view === this.#seen) return;
    this.#seen = view;
    this.#cancelLetGo();
    const leftMs = (node.owner?.remainingMs ?? Infinity) - letGoMs;
    if (leftMs <= 0) this.#givenUp = view;
    else if (leftMs < Infinity) {
      this.#cancelLetGo = clock.setTimer(leftMs, () => {
        this.#givenUp = view;
        this.#letGo();
      });
    }
  }

  #letGo(): void {
    this.#link?.close();
    this.#link = null;
  }

  #owner() {
    const { node } = this.#options;
    const row = node.owner;
    const { view, incarnation } = node.state;
    if (row === null || view === null || incarnation === null) return null;
    if (hasExpired(row) || view === this.#givenUp) return null;
    return { row, claim: { incarnation: row.incarnation, epoch: view.claim.epoch }, incarnation };
  }

  /** Opens the way to the node that serves, for a client at an address; waits while none does. */
  async #dial(from: string): Promise<TunnelSocket> {
    const { clock } = this.#options;
    if (this.#waiting >= waitingMax) throw new UnavailableError("too many clients wait");
    this.#waiting += 1;
    try {
      for (const deadline = clock.monotonic() + waitMsMax; clock.monotonic() < deadline && !this.#isClosed;) {
        const stream = await this.#tryDial(from).catch(() => null);
        if (stream !== null) return new TunnelSocket(stream, from, this.#options.meters?.node);
        await this.#served(deadline - clock.monotonic());
      }
    } finally {
      this.#waiting -= 1;
    }
    throw new UnavailableError("no node serves the workspace");
  }

  /**
   * Resolves when somebody seems to serve, or after that time. However many clients wait, a node that takes over is asked by
   * one of them: it has more to do then than at any other time.
   */
  async #served(waitMs: number): Promise<void> {
    this.#asking ??= this.#askUntilServed().finally(() => (this.#asking = null));
    let cancel = (): void => {};
    const isOver = new Promise<void>((resolve) => (cancel = this.#options.clock.setTimer(waitMs, resolve)));
    await Promise.race([this.#asking, isOver]);
    cancel();
  }

  async #askUntilServed(): Promise<void> {
    const { clock, node } = this.#options;
    do {
      node.look();
      await new Promise<void>((resolve) => clock.setTimer(againMs, resolve));
      const stream = await this.#tryDial("").catch(() => null);
      stream?.destroy();
      if (stream !== null) return;
    } while (this.#waiting > 0 && !this.#isClosed);
  }

  async #tryDial(from: string): Promise<Duplex | null> {
    const { secret, clock, local } = this.#options;
    const here = local();
    if (here !== null) {
      const [near, far] = joinedPair();
      here.take(new TunnelSocket(far, from));
      return near;
    }
    const owner = this.#owner();
    if (owner === null || owner.claim.incarnation === owner.incarnation) return null;
    if (this.#link === null || !this.#link.leadsTo(owner.claim)) {
      this.#link?.close();
      const { row, claim, incarnation } = owner;
      this.#link = new LinkToOwner(row, { epoch: claim.epoch, incarnation, secret, clock });
    }
    return this.#link.open(from);
  }

  /** Refuses requests for other names and from other pages, by the addresses of the node that was reached. */
  #whyNot({ headers, headersDistinct }: IncomingMessage): Refusal | null {
    const isOne = (["host", "origin"] as const).every((name) => (headersDistinct[name] ?? []).length <= 1);
    const isOurs = this.#addresses.isOurHost(headers.host) && this.#addresses.isOurOrigin(headers.origin);
    return isOne && isOurs ? null : refusal("FOREIGN_ORIGIN");
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = this.#whyNot(request);
    if (refused !== null) return this.#refuse(request, response, refused);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && request.url === "/readyz")
      return sendReadiness(response, readinessOf(this.#options.node, this.#options.clock));
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#passOnce(request, response);
      if (outcome === "answered" || response.destroyed) return;
      // What only reads is asked again of the next owner; what may have been done is for the client to repeat.
      if (outcome === "lost" && isRead && tries < triesMax) continue;
      return this.#refuse(request, response, refusal(outcome === "lost" ? "UNKNOWN_OUTCOME" : "UNAVAILABLE"));
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, refused: Refusal): void {
    if (response.headersSent) return void response.destroy();
    if (refused.code === "UNAVAILABLE") response.setHeader("retry-after", "1");
    if (!request.complete) closeAfterAnswer(request, response);
    sendRefusal(response, refused);
  }

  /** Passes a request on. `unavailable`: nobody was asked. `lost`: somebody was, and went away before answering. */
  async #passOnce(request: IncomingMessage, response: ServerResponse): Promise<"answered" | "unavailable" | "lost"> {
    const agent = this.#agentOf(request);
    return new Promise((resolve) => {
      const asked = askOver({
        agent,
        method: request.method,
        path: request.url,
        headers: withoutOwn(request.rawHeaders),
        setHost: false,
      });
      const left = (): void => void asked.destroy();
      response.once("close", left);
      asked.on("response", (answer) => {
        if (answer.statusCode === 200 && this.#sendOwnMetrics(request, response)) {
          answer.resume();
          resolve("answered");
          return;
        }
        response.writeHead(answer.statusCode ?? 502, withoutOwn(answer.rawHeaders));
        answer.pipe(response);
        answer.once("error", () => response.destroy());
        answer.once("close", () => {
          if (!answer.complete) response.destroy();
        });
        resolve("answered");
      });
      asked.on("error", (problem) => {
        response.off("close", left);
        if (response.headersSent) response.destroy();
        resolve(problem instanceof UnavailableError ? "unavailable" : "lost");
      });
      // A request that is asked again has no body, and has been read to its end.
      if (request.method === "GET" || request.method === "HEAD") asked.end();
      else request.pipe(asked);
    });
  }

  /** Who may read the owner's metrics is given this node's: each node is collected by itself. */
  #sendOwnMetrics({ url = "" }: IncomingMessage, response: ServerResponse): boolean {
    const { meters } = this.#options;
    if (meters === undefined || url.split("?", 1)[0] !== metricsPath) return false;
    void sendMetrics(response, meters.all);
    return true;
  }

  /** One way for each client's connection, over which its requests go one after the other. */
  #agentOf({ socket }: IncomingMessage): Agent {
    const known = this.#agents.get(socket);
    if (known !== undefined) return known;
    const agent = new Agent({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 });
    agent.createConnection = (_options, connected) => {
      this.#dial(socket.remoteAddress ?? "").then(
        (tunnel) => connected?.(null, tunnel),
        (problem: Error) => connected?.(problem, new TunnelSocket(duplexPair()[0], "")),
      );
      return undefined;
    };
    this.#agents.set(socket, agent);
    socket.once("close", () => agent.destroy());
    return agent;
  }

  async #passUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const refused = this.#whyNot(request);
    if (refused !== null) return this.#endUpgrade(socket, "403 Forbidden");
    try {
      const tunnel = await this.#dial(request.socket.remoteAddress ?? "");
      if (socket.destroyed) return void tunnel.destroy();
      const lines = pairsOf(request.rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
      tunnel.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join("")}\r\n`);
      if (head.length > 0) tunnel.write(head);
      tunnel.on("error", () => tunnel.destroy());
      tunnel.once("close", () => socket.destroy());
      socket.once("close", () => tunnel.destroy());
      tunnel.pipe(socket);
      socket.pipe(tunnel);
    } catch {
      this.#endUpgrade(socket, "503 Service Unavailable");
    }
  }

  #endUpgrade(socket: Duplex, status: string): void {
    endSocket(socket, this.#options.clock, `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }
}

function pairsOf(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));
}

function withoutOwn(raw: readonly string[]): string[] {
  return pairsOf(raw)
    .filter(([name]) => !ownHeaders.has(name.toLowerCase()))
    .flat();
}
