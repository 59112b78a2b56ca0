/** A NATS server, and who Heddle is there. */
export interface NatsPlace {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly credentials: NatsCredentials;
}

export type NatsCredentials =
  | { readonly type: "password"; readonly user: string; readonly password: string }
  | { readonly type: "token"; readonly token: string }
  /** A `.creds` file: a JWT and the seed that proves it. */
  | { readonly type: "file"; readonly path: string };

/** An address as it is written: its credentials may be in a file instead. */
export type NatsAddress = Omit<NatsPlace, "credentials"> & { readonly credentials: NatsCredentials | null };

const defaultPort = 4_222;

/**
 * Reads `tls://user:password@host:port`, `tls://token@host:port` or the same with `nats:` in place of `tls:`; null where it has
 * another form. A host of IPv6 is without its brackets.
 */
export function readNatsAddress(text: string): NatsAddress | null {
  const url = /^(?:nats|tls):\/\/[^\s/?#]+\/?$/iu.test(text) ? URL.parse(text) : null;
  if (url === null || !/^(?:[\w.-]+|\[[0-9a-f:.]+\])$/iu.test(url.hostname) || url.port === "0") return null;
  const credentials = credentialsIn(url);
  if (credentials === "malformed") return null;
  return {
    host: url.hostname.replaceAll(/^\[|\]$/gu, "").toLowerCase(),
    port: url.port === "" ? defaultPort : Number(url.port),
    isTls: url.protocol === "tls:",
    credentials,
  };
}

/** Whether the host is this machine, by its name or its address. */
export function isLoopback({ host }: Pick<NatsPlace, "host">): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/u.test(host);
}

/** Returns the words by which people know the server: without credentials. */
export function shownNats({ host, port, isTls }: NatsPlace): string {
  return `${isTls ? "tls" : "nats"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Whether a text has the parts of a `.creds` file. */
export function holdsCredentials(text: string): boolean {
  return (
    /-{3,}BEGIN NATS USER JWT-{3,}\s+\S+\s+-{3,}/u.test(text) &&
    /-{3,}BEGIN USER NKEY SEED-{3,}\s+SU\S+\s+-{3,}/u.test(text)
  );
}

function credentialsIn({ username, password }: URL): NatsCredentials | null | "malformed" {
  const user = decoded(username);
  const secret = decoded(password);
  if (user === null || secret === null) return "malformed";
  if (user === "") return secret === "" ? null : "malformed";
  return secret === "" ? { type: "token", token: user } : { type: "password", user, password: secret };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
