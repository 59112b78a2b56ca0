import type { Right } from "../../core/rights/token-right.ts";

/** The addresses that a program can get a token for; a token for one opens nothing at the other. */
interface Resources {
  readonly mcp: string;
  readonly api: string;
}

export function resourcesOf(origin: string): Resources {
  return { mcp: `${origin}/mcp`, api: `${origin}/api` };
}

/** What a program may ask for at each. */
const rightsByName: Readonly<Record<keyof Resources, readonly Right[]>> = {
  mcp: ["read", "write", "run"],
  api: ["read", "write", "run", "share"],
};

export function scopesByResource(origin: string): ReadonlyMap<string, readonly Right[]> {
  const { mcp, api } = resourcesOf(origin);
  return new Map([
    [mcp, rightsByName.mcp],
    [api, rightsByName.api],
  ]);
}

/** Returns the resource that a request is for. */
export function resourceOfPath(path: string, origin: string): string {
  const { mcp, api } = resourcesOf(origin);
  return /^\/mcp(?:\/|\?|$)/.test(path) ? mcp : api;
}

const metadataPath = "/.well-known/oauth-protected-resource";

/** Where a resource says which server gives tokens for it. */
export function metadataOfPath(path: string, origin: string): string {
  return `${origin}${metadataPath}${new URL(resourceOfPath(path, origin)).pathname}`;
}

/** Returns what a resource says of itself at an address; null: no resource does. A program that looks only at the root finds MCP. */
export function resourceMetadata(path: string, origin: string): object | null {
  const { mcp, api } = resourcesOf(origin);
  const resource = new Map([
    [metadataPath, mcp],
    [`${metadataPath}/mcp`, mcp],
    [`${metadataPath}/api`, api],
  ]).get(path);
  if (resource === undefined) return null;
  return {
    resource,
    resource_name: "Heddle",
    authorization_servers: [origin],
    scopes_supported: scopesByResource(origin).get(resource),
    bearer_methods_supported: ["header"],
  };
}
