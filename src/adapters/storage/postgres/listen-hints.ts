import { setTimeout as delay } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import type { HintBus } from "../../../core/port/hint-bus.ts";

const channel = '"heddle.cluster"';
/** A hint may be lost, so that it does not wait for the disk. */
const notify = `BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_notify('heddle.cluster', current_schema()); COMMIT`;
const relistenMs = 500;

/** Hints by `LISTEN`, on a connection of its own; they are sent over another, never in a transaction that changes rows. */
export class ListenHints implements HintBus {
  readonly #config: ClientConfig;
  readonly #send: (script: string) => Promise<unknown>;
  readonly #listeners = new Set<() => void>();
  #listening: Client | null = null;
  #isClosed = false;
  #sending: "no" | "yes" | "again" = "no";

  constructor(config: ClientConfig, send: (script: string) => Promise<unknown>) {
    this.#config = config;
    this.#send = send;
    void this.#listen();
  }

  /** While one hint is being sent, all further ones are one that follows it. */
  tell(): void {
    if (this.#isClosed) return;
    if (this.#sending !== "no") {
      this.#sending = "again";
      return;
    }
    this.#sending = "yes";
    const sent = (): void => {
      const isAskedAgain = this.#sending === "again";
      this.#sending = "no";
      if (isAskedAgain) this.tell();
    };
    this.#send(notify).then(sent, sent);
  }

  onHint(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listening?.end().catch(() => {});
  }

  /** Listens for as long as it is open; each new connection may have missed hints, so it tells one. */
  async #listen(): Promise<void> {
    while (!this.#isClosed) {
      const client = new Client({
        ...this.#config,
        application_name: "heddle listener",
        keepAliveInitialDelayMillis: 1_000,
      });
      const ended = new Promise<void>((resolve) => client.once("end", () => resolve()));
      client.on("error", () => {});
      try {
        await client.connect();
        if (this.#isClosed) return await client.end();
        this.#listening = client;
        // Other clusters of this database have other schemas.
        const { rows } = await client.query<{ schema: string }>("SELECT current_schema() AS schema");
        client.on("notification", ({ payload }) => {
          if (payload === rows[0]?.schema) this.#hint();
        });
        await client.query(`LISTEN ${channel}`);
        this.#hint();
        await ended;
      } catch {
        client.end().catch(() => {});
      }
      if (!this.#isClosed) await delay(relistenMs, undefined, { ref: false });
    }
  }

  #hint(): void {
    if (this.#isClosed) return;
    for (const listener of this.#listeners) listener();
  }
}
