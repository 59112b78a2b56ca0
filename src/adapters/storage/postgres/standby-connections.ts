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
/**
 * Reads nothing of every table: the process of the database behind a new connection learns of tables and their indexes when it
 * uses them first, which takes it longer than what it is asked for.
 */
const meetTables = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
    EXECUTE format('SELECT 1 FROM %I LIMIT 0', name);
  END LOOP; END $$`;
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
    if (this.#readers === null) {
      this.#readers = openReaders(this.#readersConfig);
      this.#readers.on("connect", (client) => void met(client));
    }
    void filled(this.#readers);
  }

  /** The connections for reading, until they are taken; null: there are none. They are not the caller's to close. */
  get readers(): Pool | null {
    return this.#readers;
  }

  /** Gives the connections away, the writer's under a name; they are the taker's to close. */
  async take(name: string): Promise<ReadyConnections> {
    clearTimeout(this.#timer);
    const [opening, readers] = [this.#writer, this.#readers ?? openReaders(this.#readersConfig)];
    this.#writer = null;
    this.#readers = null;
    // What is connected again later is wanted at once.
    readers.removeAllListeners("connect");
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
      () => {
        void met(client);
        return client;
      },
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

/** Lets the other side of a new connection get ready; nothing else depends on it. */
async function met(client: Pick<Client, "query">): Promise<void> {
  await client.query(meetTables).catch(() => {});
}

/** Makes every connection that a pool may have. */
async function filled(pool: Pool): Promise<void> {
  const missing = (pool.options.max ?? readersMaxDefault) - pool.totalCount;
  const clients = await Promise.allSettled(Array.from({ length: Math.max(0, missing) }, () => pool.connect()));
  for (const client of clients) if (client.status === "fulfilled") client.value.release();
}
