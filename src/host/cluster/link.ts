import { hkdfSync } from "node:crypto";
import {
  connect,
  constants,
  createSecureServer,
  type ClientHttp2Session,
  type Http2SecureServer,
  type ServerHttp2Stream,
  type ClientHttp2Stream,
} from "node:http2";
import type { Duplex } from "node:stream";
import { assert } from "../../core/base/assert.ts";
import type { NodeRow } from "../../core/cluster/cluster-view.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { NodeClaim } from "./cluster-node.ts";

/** What one tunnel carries: the bytes of one client of another node. */
interface TunnelAsked {
  /** The epoch under which the asking node takes this one for the owner. */
  readonly epoch: number;
  /** The client's address. */
  readonly from: string;
}

/** Where other nodes reach this one. */
export interface LinkListener {
  readonly port: number;
  /** Ends the sessions of all other nodes. */
  close(): Promise<void>;
}

export interface LinkListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly secret: Uint8Array;
  /** This process's own incarnation, as it is now. */
  readonly incarnation: () => number | null;
  /** Whether a node of that incarnation is known and not dead. */
  readonly isKnown: (incarnation: number) => boolean;
  /** Takes a tunnel; false: this node does not own the workspace under that epoch. */
  readonly accept: (asked: TunnelAsked) => ((stream: Duplex) => void) | null;
}

/** Both ends derive one key for each pair of incarnations; a wrong one fails before a byte is read. */
const cipher = { ciphers: "TLS_AES_128_GCM_SHA256:PSK", minVersion: "TLSv1.3" } as const;
const epochHeader = "heddle-epoch";
const fromHeader = "heddle-from";
const windowBytes = 1024 * 1024;
const sessionWindowBytes = 16 * 1024 * 1024;
const pingMs = 500;
/** A link that is silent for so long is closed and dialled again. */
const silentMs = 2_000;

function keyOf(secret: Uint8Array, from: number, to: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `heddle link ${from} to ${to}`, 32));
}

/** Listens for the other nodes of the cluster. */
export async function listenForNodes(options: LinkListenerOptions): Promise<LinkListener> {
  const server: Http2SecureServer = createSecureServer({
    ...cipher,
    settings: { initialWindowSize: windowBytes, maxConcurrentStreams: 10_000 },
    pskCallback: (_socket, identity) => {
      const from = Number(identity);
      const to = options.incarnation();
      return to === null || !options.isKnown(from) ? null : keyOf(options.secret, from, to);
    },
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => {
    sessions.add(session);
    session.setLocalWindowSize(sessionWindowBytes);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => {});
  });
  // Whoever has not the key, or speaks something else, is nobody's concern.
  server.on("sessionError", () => {});
  server.on("tlsClientError", () => {});
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => {});
    const epoch = Number(headers[epochHeader]);
    const take = Number.isSafeInteger(epoch)
      ? options.accept({ epoch, from: String(headers[fromHeader] ?? "") })
      : null;
    stream.respond({ ":status": take === null ? 421 : 200 }, { endStream: take === null });
    take?.(stream);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.host, port: options.port, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  assert(address !== null && typeof address === "object", "a server that listens has a port");
  return {
    port: address.port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

/** Why a tunnel was not opened. */
class NotOwnerError extends Error {
  override readonly name = "NotOwnerError";
}

/** One session to the node that owns the workspace, however many clients go through it. */
export class LinkToOwner {
  readonly #session: ClientHttp2Session;
  readonly #claim: NodeClaim;
  readonly #tunnels = new Set<ClientHttp2Stream>();
  readonly #clock: Clock;
  #cancelPing = (): void => {};
  #answeredAt: number;
  #isLost = false;

  constructor(
    owner: NodeRow,
    { epoch, incarnation, secret, clock }: { epoch: number; incarnation: number; secret: Uint8Array; clock: Clock },
  ) {
    this.#clock = clock;
    this.#claim = { incarnation: owner.incarnation, epoch };
    this.#answeredAt = clock.monotonic();
    this.#session = connect(`https://${owner.address}`, {
      ...cipher,
      settings: { initialWindowSize: windowBytes, enablePush: false },
      pskCallback: () => ({ psk: keyOf(secret, incarnation, owner.incarnation), identity: String(incarnation) }),
      // The key proves the other side; it has no certificate with a name.
      checkServerIdentity: () => undefined,
    });
    this.#session.on("connect", () => {
      this.#answeredAt = clock.monotonic();
      // It says that it is connected in a later turn than it is: meanwhile nobody may need it any more.
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(sessionWindowBytes);
    });
    this.#session.on("error", () => this.close());
    this.#session.on("close", () => this.close());
    this.#pingLater();
  }

  /** Whether this is the link to that owner, and in order. */
  leadsTo(claim: NodeClaim): boolean {
    return (
      !this.#isLost &&
      !this.#session.destroyed &&
      claim.incarnation === this.#claim.incarnation &&
      claim.epoch === this.#claim.epoch
    );
  }

  /** Opens a tunnel for a client. Rejects with NotOwnerError, or when the link is lost. */
  open(from: string): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      if (this.#isLost) {
        reject(new Error("the link was lost"));
        return;
      }
      const headers = { ":method": "POST", ":path": "/", [epochHeader]: String(this.#claim.epoch), [fromHeader]: from };
      const stream = this.#session.request(headers, { endStream: false });
      this.#tunnels.add(stream);
      stream.on("error", reject);
      stream.once("close", () => {
        this.#tunnels.delete(stream);
        reject(new Error("the link was lost"));
      });
      stream.once("response", ({ ":status": status }) => {
        if (status === 200) {
          resolve(stream);
          return;
        }
        stream.close(constants.NGHTTP2_CANCEL);
        reject(new NotOwnerError("the node does not own the workspace"));
      });
    });
  }

  /** Cuts everything that goes through it. */
  close(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#cancelPing();
    for (const stream of this.#tunnels) stream.destroy();
    this.#session.destroy();
  }

  #pingLater(): void {
    this.#cancelPing = this.#clock.setTimer(pingMs, () => {
      if (this.#isLost) return;
      // A session that is over before the other side hung up emits nothing yet, and throws where it is asked for a ping.
      if (this.#session.destroyed || this.#clock.monotonic() - this.#answeredAt > silentMs) return this.close();
      this.#pingLater();
      if (this.#session.connecting) return;
      this.#session.ping((problem) => {
        if (problem === null) this.#answeredAt = this.#clock.monotonic();
      });
    });
  }
}
