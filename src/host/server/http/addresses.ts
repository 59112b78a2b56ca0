/** Which hosts and pages a server answers; everything else is refused before it is read further. */
export interface Addresses {
  /** Values of the Host header that name this server. */
  isOurHost(host: string | undefined): boolean;
  /** Whether a request with this Origin header may be answered; none at all may (it is no page). */
  isOurOrigin(origin: string | undefined): boolean;
}

export interface AddressOptions {
  readonly port: number;
  /** Names beside loopback's own under which the server is reached; without port. */
  readonly hosts?: readonly string[];
  /** Pages of another origin that may connect: the development server of the web app. */
  readonly origins?: readonly string[];
}

const loopbackHosts = ["127.0.0.1", "localhost", "[::1]"];

/** Exact lists, compared as a whole: no suffixes, no patterns, no forwarded headers. */
export function ourAddresses({ port, hosts = [], origins = [] }: AddressOptions): Addresses {
  const withPort = [...loopbackHosts, ...hosts.map(bracketed)].map((host) => `${host.toLowerCase()}:${port}`);
  const allHosts = new Set(withPort);
  const allOrigins = new Set([...withPort.map((host) => `http://${host}`), ...origins]);
  return {
    isOurHost: (host) => host !== undefined && allHosts.has(host.toLowerCase()),
    isOurOrigin: (origin) => origin === undefined || allOrigins.has(origin.toLowerCase()),
  };
}

/** Whether a name or address given to `--host` is reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** A host as it stands in an address: IPv6 in brackets. */
export function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
