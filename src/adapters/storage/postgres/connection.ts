import { Client, type ClientConfig, type PoolConfig } from "pg";
import { StoreOpenError } from "../shared/store-error.ts";

/** How to reach the database: an address, or what `pg` takes apart from what the store sets itself. */
export type PostgresAddress =
  /** `postgres://user:password@host:port/database`, with `sslmode`, `sslrootcert` and `options` as in libpq. */
  { readonly url: string } | { readonly connection: ClientConfig };

/** A statement that takes longer is ended by the server. */
const statementMs = 30_000;
/** A server that says nothing for so long is gone. */
const silenceMs = statementMs + 5_000;
const connectMs = 5_000;

/**
 * Of every session, before what the address itself asks for. A commit waits for the disk whatever the server's own
 * default is; a server gives up a client that went silent, and with it the client's locks.
 */
const sessionSettings = {
  synchronous_commit: "on",
  bytea_output: "hex",
  jit: "off",
  statement_timeout: String(statementMs),
  idle_in_transaction_session_timeout: String(silenceMs),
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3",
} as const;

/** The settings of a connection; the name tells its sessions from those of others. */
export function connectionConfig(address: PostgresAddress, name: string): ClientConfig & PoolConfig {
  const given = "url" in address ? { connectionString: withoutOptions(address.url) } : address.connection;
  const asked = "url" in address ? optionsOf(address.url) : (address.connection.options ?? "");
  const own = Object.entries(sessionSettings).map(([setting, value]) => `-c ${setting}=${value}`);
  return {
    ...given,
    options: [...own, asked].join(" ").trim(),
    application_name: name,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Settings of a connection on which a silent server is given up. */
export function impatient(config: ClientConfig): ClientConfig {
  return { ...config, query_timeout: silenceMs };
}

/** A connection of its own for long work: no statement of it is ended for its length. */
export async function withConnection<Value>(
  config: ClientConfig,
  work: (client: Client) => Promise<Value>,
): Promise<Value> {
  const client = new Client({ ...config, options: `${config.options ?? ""} -c statement_timeout=0`.trim() });
  // What happens to it is told by the statement under way.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The address without what only its owner may see, for messages. */
export function shownAddress(address: PostgresAddress): string {
  if ("connection" in address) {
    const { host = "localhost", database } = address.connection;
    return database === undefined ? host : `${host}/${database}`;
  }
  const { host, pathname } = parsed(address.url);
  return `postgres://${host}${pathname}`;
}

function optionsOf(url: string): string {
  return parsed(url).searchParams.get("options") ?? "";
}

/** pg prefers the address's options to those that are given beside it. */
function withoutOptions(url: string): string {
  const address = parsed(url);
  address.searchParams.delete("options");
  return address.href;
}

/** What is wrong with an address is not repeated: it may have the password in it. */
function parsed(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address !== null && /^postgres(?:ql)?:$/.test(address.protocol)) return address;
  throw new StoreOpenError(
    "STORE_FAILED",
    "It is not an address of the form postgres://user:password@host:port/database.",
  );
}
