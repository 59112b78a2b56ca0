/** The hosts and origins a server answers; other requests are refused before they are read further. */
export interface Addresses {
  /** Values of the Host header that name this server. */
  isOurHost(host: string | undefined): boolean;
  /** Whether a request with this Origin header may be answered; a request without one comes from no page and may. */
  isOurOrigin(origin: string | undefined): boolean;
}

export interface AddressOptions {
  readonly port: number;
  /** Host names of the server besides the loopback names; without port. */
  readonly hosts?: readonly string[];
  /** Other origins that may connect, such as the development server of the web app. */
  readonly origins?: readonly string[];
  /** The address by which people reach the server through a proxy. */
  readonly publicUrl?: string;
}

const loopbackHosts = ["127.0.0.1", "localhost", "[::1]"];

/** Compares exact strings: no suffixes, no patterns, no forwarded headers. */
export function ourAddresses({ port, hosts = [], origins = [], publicUrl }: AddressOptions): Addresses {
  const withPort = [...loopbackHosts, ...hosts.map(bracketed)].map((host) => `${host.toLowerCase()}:${port}`);
  const open = publicUrl === undefined ? null : new URL(publicUrl);
  const allHosts = new Set([...withPort, ...(open === null ? [] : [open.host])]);
  const allOrigins = new Set([
    ...withPort.map((host) => `http://${host}`),
    ...origins,
    ...(open === null ? [] : [open.origin]),
  ]);
  return {
    isOurHost: (host) => host !== undefined && allHosts.has(host.toLowerCase()),
    isOurOrigin: (origin) => origin === undefined || allOrigins.has(origin.toLowerCase()),
  };
}

/** Returns whether a name or address given to `--host` can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Returns a host as written in a URL: IPv6 in brackets. */
export function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
