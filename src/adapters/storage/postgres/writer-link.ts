import { setTimeout as delay } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import { Statements } from "./plan/sql.ts";

const goodbyeMs = 2_000;
const key = "hashtextextended('heddle.writer ' || current_schema(), 0)";
const lock = `SELECT pg_try_advisory_lock(${key})`;
/** Gives a row while a session has the lock: the catalogue shows its key as two halves. */
export const isLocked = `SELECT 1 FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32 | objid::bigint) = ${key}`;
const endGhosts = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = $1 AND pid <> pg_backend_pid() AND usename = current_user`;

/**
 * The one connection over which a process writes. Its session has the lock of the database, so that losing the connection
 * and losing the right to write are the same thing, and whoever has the lock knows that no earlier writer's transaction is
 * still on its way.
 */
export class WriterLink {
  readonly sql: Statements;
  readonly #client: Client;
  #closed = false;

  constructor(client: Client) {
    this.#client = client;
    this.sql = new Statements(client);
  }

  /** `onLost` is called once, when the connection ends without having been closed. */
  static async open(config: ClientConfig, onLost: (link: WriterLink) => void): Promise<WriterLink> {
    const client = new Client({ ...config, pipeline: true });
    const link = new WriterLink(client);
    // What happened to it is told by the statement under way, if there is one.
    client.on("error", () => {});
    try {
      await client.connect();
    } catch (problem) {
      client.end().catch(() => {});
      throw problem;
    }
    client.once("end", () => {
      if (!link.#closed) onLost(link);
    });
    return link;
  }

  /** Whether this session has the lock now. null: there is no schema to lock. */
  async takeLock(): Promise<boolean | null> {
    const taken = await this.sql.number(lock);
    return taken === null ? null : taken === 1;
  }

  /** Ends sessions of this process that the server has not noticed the end of: they may still hold the lock. */
  async endGhosts(name: string): Promise<void> {
    await this.sql.ask(endGhosts, [name]);
  }

  /** Says goodbye, and does not wait long for a server that says nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.race([this.#client.end().catch(() => {}), delay(goodbyeMs, undefined, { ref: false })]);
  }
}
