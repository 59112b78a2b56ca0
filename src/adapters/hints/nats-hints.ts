import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ConnectionOptions, NatsConnection, Status, TlsOptions } from "@nats-io/transport-node";
import { reasonOf } from "../../core/base/reason.ts";
import type { HintBus } from "../../core/port/hint-bus.ts";
import type { Clock, Logger } from "../../core/port/platform.ts";
import { shownNats, type NatsPlace } from "./nats-address.ts";

export interface NatsHintsOptions {
  readonly place: NatsPlace;
  /** What only the processes of this cluster know; their subject is made of it. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long to wait before a connection is tried again, and between pings: who leaves two unanswered is gone. Milliseconds. */
  readonly retryMs?: number;
}

const retryMsDefault = 2_000;
const connectMs = 5_000;
const pingsMax = 2;
/** How long a close waits for the last hint to be sent. */
const lastWordsMs = 250;

/** Opens hints over NATS; never waits for the server, which may be away. */
export function openNatsHints(options: NatsHintsOptions): HintBus {
  return new NatsHints(options);
}

/** Returns the subject of a cluster: nobody can tell the secret by it, nor the subject without the secret. */
export function subjectOf(secret: Uint8Array): string {
  return `heddle.hints.${createHmac("sha256", secret).update("heddle hints").digest("hex").slice(0, 32)}`;
}

class NatsHints implements HintBus {
  readonly #options: Required<NatsHintsOptions>;
  readonly #subject: string;
  readonly #listeners = new Set<() => void>();
  #connection: NatsConnection | null = null;
  #isClosed = false;
  #isTelling = false;
  /** The last problem in the log. */
  #problem: string | null = null;
  #stopWaiting = (): void => {};

  constructor(options: NatsHintsOptions) {
    this.#options = { retryMs: retryMsDefault, ...options };
    this.#subject = subjectOf(options.secret);
    void this.#run();
  }

  /** All hints of one turn of the event loop are one. */
  tell(): void {
    if (this.#isTelling || this.#isClosed) return;
    this.#isTelling = true;
    setImmediate(() => this.#send());
  }

  onHint(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What was told before is sent: the answer to a ping that follows it says so. */
  async close(): Promise<void> {
    this.#send();
    this.#isClosed = true;
    this.#stopWaiting();
    const connection = this.#connection;
    if (connection === null) return;
    const { clock } = this.#options;
    const isSent = connection.flush().catch(() => {});
    await Promise.race([isSent, new Promise<void>((resolve) => clock.setTimer(lastWordsMs, resolve))]);
    await connection.close();
  }

  #send(): void {
    if (!this.#isTelling) return;
    this.#isTelling = false;
    try {
      this.#connection?.publish(this.#subject);
    } catch {
      // The connection has just been closed: the hint is lost, and others look by themselves.
    }
  }

  /** Connects again and again for as long as it is open: also what the client itself would give up, as refused credentials. */
  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const connection = await this.#connect();
        if (this.#isClosed) return await connection.close();
        await this.#use(connection);
      } catch (problem) {
        this.#failed(problem);
      }
      if (!this.#isClosed) await this.#wait();
    }
  }

  async #connect(): Promise<NatsConnection> {
    // Read again each time: credentials in a file are replaced while Heddle runs.
    const [{ connect, credsAuthenticator }, file] = await Promise.all([
      import("./nats-package.ts"),
      this.#credentials(),
    ]);
    return connect({
      ...connectionOptions(this.#options),
      ...(file === null ? {} : { authenticator: credsAuthenticator(file) }),
    });
  }

  async #credentials(): Promise<Uint8Array | null> {
    const { credentials } = this.#options.place;
    return credentials.type === "file" ? readFile(credentials.path) : null;
  }

  /** Resolves when the connection is over. */
  async #use(connection: NatsConnection): Promise<void> {
    this.#connection = connection;
    connection.subscribe(this.#subject, {
      callback: (problem) => {
        // Whatever a message holds, it is a hint.
        if (problem === null) return this.#hint();
        this.#failed(problem);
        this.#connection = null;
        void connection.close();
      },
    });
    this.#noteErrors(connection.status()).catch((problem: unknown) => this.#failed(problem));
    connection.flush().then(
      () => this.#connected(connection),
      () => {},
    );
    const problem = await connection.closed();
    if (this.#connection === connection) this.#failed(problem ?? new Error("the connection was lost"));
    this.#connection = null;
  }

  async #noteErrors(statuses: AsyncIterable<Status>): Promise<void> {
    for await (const status of statuses) if (status.type === "error") this.#failed(status.error);
  }

  /** The server has the subscription; before, hints may have been missed. */
  #connected(connection: NatsConnection): void {
    if (this.#connection !== connection) return;
    if (this.#problem !== null) this.#options.logger.info("hints-back", { at: this.#shown });
    this.#problem = null;
    this.#hint();
  }

  #hint(): void {
    if (this.#isClosed) return;
    for (const listener of this.#listeners) listener();
  }

  /** Warns of each problem once until the server is back. */
  #failed(problem: unknown): void {
    const reason = reasonOf(problem);
    if (this.#isClosed || reason === this.#problem) return;
    this.#problem = reason;
    this.#options.logger.warn("hints-away", { at: this.#shown, reason });
  }

  get #shown(): string {
    return shownNats(this.#options.place);
  }

  async #wait(): Promise<void> {
    const { clock, retryMs } = this.#options;
    await new Promise<void>((resolve) => {
      const cancel = clock.setTimer(retryMs, resolve);
      this.#stopWaiting = () => {
        cancel();
        resolve();
      };
    });
  }
}

function connectionOptions({ place, retryMs }: Required<NatsHintsOptions>): ConnectionOptions {
  const { host, port, isTls, credentials } = place;
  // The client checks a certificate by the name of the host; by an address only where the address is named here.
  const tls: TlsOptions & { readonly host: string } = { host };
  return {
    servers: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
    name: "heddle",
    ...(credentials.type === "password" ? { user: credentials.user, pass: credentials.password } : {}),
    ...(credentials.type === "token" ? { token: credentials.token } : {}),
    ...(isTls ? { tls } : {}),
    // A server's list of other servers comes before its certificate: whoever changes it would be sent the credentials.
    ignoreClusterUpdates: true,
    // This file connects again.
    reconnect: false,
    timeout: connectMs,
    pingInterval: retryMs,
    maxPingOut: pingsMax,
    noAsyncTraces: true,
  };
}
