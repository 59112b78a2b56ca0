import { setTimeout as delay } from "node:timers/promises";
import type { Client, ClientConfig } from "pg";
import { Statements } from "./plan/sql.ts";
import { writingClient } from "./standby-connections.ts";

const closeMs = 2_000;
const key = "hashtextextended('heddle.writer ' || current_schema(), 0)";
/** Held by the one process that is alone with the database. */
export const writerLock = `SELECT pg_try_advisory_lock(${key})`;
/** Held by every node beside the others, so that a process that would be alone is refused while one of them runs. */
export const shareLock = `SELECT pg_try_advisory_lock_shared(${key})`;
/** Returns a row while a session has the lock: the catalogue shows its key as two halves. */
export const isLocked = `SELECT 1 FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32 | objid::bigint) = ${key}`;
const endStaleSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = $1 AND pid <> pg_backend_pid() AND usename = current_user`;

/**
 * The one connection over which a process writes. Its session holds the database's lock, so losing the connection means
 * losing the right to write, and the lock's holder knows that no earlier writer's transaction is still under way.
 */
export class WriterLink {
  readonly sql: Statements;
  readonly #client: Client;
  #closed = false;

  private constructor(client: Client) {
    this.#client = client;
    this.sql = new Statements(client);
  }

  /** Calls `onLost` once, when the connection ends without a call of `close`. */
  static async open(config: ClientConfig, onLost: (link: WriterLink) => void): Promise<WriterLink> {
    const client = writingClient(config);
    try {
      await client.connect();
    } catch (problem) {
      client.end().catch(() => {});
      throw problem;
    }
    return WriterLink.over(client, onLost);
  }

  /** Uses a connection that is open already. */
  static over(client: Client, onLost: (link: WriterLink) => void): WriterLink {
    const link = new WriterLink(client);
    client.once("end", () => {
      if (!link.#closed) onLost(link);
    });
    return link;
  }

  /** Returns whether this session has the lock now; null when there is no schema to lock. */
  async takeLock(): Promise<boolean | null> {
    const taken = await this.sql.number(writerLock);
    return taken === null ? null : taken === 1;
  }

  /** Ends this process's broken sessions that the server still keeps: they may hold the lock. */
  async endStaleSessions(name: string): Promise<void> {
    await this.sql.ask(endStaleSessions, [name]);
  }

  /** Closes the connection, and waits only briefly for a silent server. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.race([this.#client.end().catch(() => {}), delay(closeMs, undefined, { ref: false })]);
  }
}
