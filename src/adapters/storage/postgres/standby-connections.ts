import { Client, Pool, type ClientConfig, type PoolConfig } from "pg";
import { connectionConfig, nodeConfig, withSilenceTimeout, type PostgresAddress } from "./connection.ts";
import { Statements } from "./plan/sql.ts";

/** Connections that are ready to be used by a store. */
export interface ReadyConnections {
  /** Of the writer; null: there is none in order. */
  readonly writer: Client | null;
  readonly readers: Pool;
}

/** Connections for reading, beside the one that writes. */
const readersMaxDefault = 4;
/** How often connections that were lost are made again. Milliseconds. */
const againMs = 2_000;
const setName = "SELECT set_config('application_name', $1, false)";

/**
 * The connections of a store that is not opened yet. A node that takes over would spend most of its time on making them: each
 * is a process of the database and a proof of the password.
 */
export class StandbyConnections {
  readonly #writerConfig: ClientConfig;
  readonly #readersConfig: PoolConfig;
  /** Resolves to null where none could be made. */
  #writer: Promise<Client | null> | null = null;
  #readers: Pool | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(address: PostgresAddress, ttlMs: number) {
    this.#writerConfig = nodeConfig(address, "heddle standby", ttlMs);
    this.#readersConfig = { ...readersConfig(address, "heddle reader"), idleTimeoutMillis: 0 };
  }

  /** Makes what is not there yet, and again what is lost, until it is taken. */
  prepare(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.prepare(), againMs);
    this.#timer.unref();
    this.#writer ??= this.#openWriter();
    this.#readers ??= openReaders(this.#readersConfig);
    void filled(this.#readers);
  }

  /** Gives the connections away, the writer's under a name; they are the taker's to close. */
  async take(name: string): Promise<ReadyConnections> {
    clearTimeout(this.#timer);
    const [opening, readers] = [this.#writer, this.#readers ?? openReaders(this.#readersConfig)];
    this.#writer = null;
    this.#readers = null;
    const writer = await opening;
    try {
      if (writer !== null) await new Statements(writer).ask(setName, [name]);
      return { writer, readers };
    } catch {
      writer?.end().catch(() => {});
      return { writer: null, readers };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const writer = await this.#writer;
    await Promise.allSettled([writer?.end(), this.#readers?.end()]);
  }

  #openWriter(): Promise<Client | null> {
    const client = writingClient(this.#writerConfig);
    const opening = client.connect().then(
      () => client,
      () => {
        lost();
        client.end().catch(() => {});
        return null;
      },
    );
    const lost = (): void => {
      if (this.#writer === opening) this.#writer = null;
    };
    client.once("end", lost);
    return opening;
  }
}

/** The client of a connection that writes: what is asked of it is sent at once. */
export function writingClient(config: ClientConfig): Client {
  const client = new Client({ ...config, pipeline: true });
  // The statement under way, if any, reports what happens to the connection.
  client.on("error", () => {});
  return client;
}

export function readersConfig(address: PostgresAddress, name: string, max = readersMaxDefault): PoolConfig {
  return { ...withSilenceTimeout(connectionConfig(address, name)), max, idleTimeoutMillis: 30_000 };
}

export function openReaders(config: PoolConfig): Pool {
  const readers = new Pool(config);
  // The next read reports the error or gets another connection.
  readers.on("error", () => {});
  return readers;
}

/** Makes every connection that a pool may have. */
async function filled(pool: Pool): Promise<void> {
  const missing = (pool.options.max ?? readersMaxDefault) - pool.totalCount;
  const clients = await Promise.allSettled(Array.from({ length: Math.max(0, missing) }, () => pool.connect()));
  for (const client of clients) if (client.status === "fulfilled") client.value.release();
}
