import type { ClientConfig, PoolConfig } from "pg";
import { StoreOpenError } from "../shared/store-error.ts";

/** How to reach the database: an address, or a `pg` configuration without the settings that the store sets itself. */
export type PostgresAddress =
  /** `postgres://user:password@host:port/database`, with `sslmode`, `sslrootcert` and `options` as in libpq. */
  { readonly url: string } | { readonly connection: ClientConfig };

/** Milliseconds after which the server ends a statement. */
const statementMs = 30_000;
/** Milliseconds of silence after which the server counts as lost. */
const silenceMs = statementMs + 5_000;
const connectMs = 5_000;

/**
 * Settings of every session, sent before those of the address. A commit waits for the disk whatever the server's default
 * is. The server ends a silent client's session, and with it the client's locks.
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

/** The settings of a connection; its name distinguishes this process's sessions from others. */
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

/** Settings of a connection of a node: everything that hangs ends well before the node's time runs out. */
export function nodeConfig(address: PostgresAddress, name: string, ttlMs: number): ClientConfig & PoolConfig {
  const config = connectionConfig(address, name);
  const settings = {
    statement_timeout: ttlMs / 2,
    idle_in_transaction_session_timeout: Math.max(ttlMs / 4, 1_000),
    tcp_user_timeout: ttlMs / 2,
    tcp_keepalives_idle: 1,
    tcp_keepalives_interval: 1,
  };
  const own = Object.entries(settings).map(([setting, value]) => `-c ${setting}=${Math.round(value)}`);
  return {
    ...config,
    options: [config.options ?? "", ...own].join(" ").trim(),
    connectionTimeoutMillis: ttlMs / 2,
    query_timeout: ttlMs / 2 + 250,
  };
}

/** Settings of a connection that gives up a silent server. */
export function withSilenceTimeout(config: ClientConfig): ClientConfig {
  return { ...config, query_timeout: silenceMs };
}

/** The address without its secrets, for messages. */
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

/** Removes the options of an address, which pg would prefer to those passed beside it. */
function withoutOptions(url: string): string {
  const address = parsed(url);
  address.searchParams.delete("options");
  return address.href;
}

/** Errors never repeat an invalid address, which may contain the password. */
function parsed(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address !== null && /^postgres(?:ql)?:$/.test(address.protocol)) return address;
  throw new StoreOpenError(
    "STORE_FAILED",
    "It is not an address of the form postgres://user:password@host:port/database.",
  );
}
