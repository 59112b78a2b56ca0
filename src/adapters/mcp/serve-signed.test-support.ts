import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { fixtureServer } from "./fixture-tools.test-support.ts";

/** An MCP server that wants a sign-in, with its own authorisation server: registration, PKCE, refresh, one use of each code. */
export interface SignedFixture {
  readonly url: string;
  readonly origin: string;
  /** How often a client was registered, and which grants were used. */
  readonly registered: object[];
  readonly grants: string[];
  /** The scope of each page that a person was sent to. */
  readonly scopes: (string | null)[];
  /** Lets calls through from then on only with this scope. */
  wantForCalls(scope: string): void;
  /** Makes every access token invalid, as time does. */
  expire(): void;
  /** What a browser is sent back with, after a person allowed it. */
  allow(authorizationUrl: string): Promise<URL>;
  close(): Promise<void>;
}

export async function serveSigned(): Promise<SignedFixture> {
  const handler = createMcpHandler(() => fixtureServer());
  const codes = new Map<
    string,
    { readonly challenge: string; readonly redirect: string; readonly client: string; readonly scope: string }
  >();
  const scopesByAccess = new Map<string, string>();
  const scopes: (string | null)[] = [];
  let forCalls: string | null = null;
  const scopesByRefresh = new Map<string, string>();
  const registered: object[] = [];
  const grants: string[] = [];
  let origin = "";
  const json = (status: number, value: object) => Response.json(value, { status });
  const newTokens = (scope: string) => {
    const [access, refresh] = [randomUUID(), randomUUID()];
    scopesByAccess.set(access, scope);
    scopesByRefresh.set(refresh, scope);
    return json(200, { access_token: access, refresh_token: refresh, token_type: "Bearer", expires_in: 3600, scope });
  };
  const token = (form: URLSearchParams): Response => {
    const grant = form.get("grant_type") ?? "";
    grants.push(grant);
    if (grant === "refresh_token") {
      const used = form.get("refresh_token") ?? "";
      const scope = scopesByRefresh.get(used);
      scopesByRefresh.delete(used);
      return scope === undefined ? json(400, { error: "invalid_grant" }) : newTokens(scope);
    }
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood = code?.challenge === challenge && code.redirect === form.get("redirect_uri");
    return isGood ? newTokens(code.scope) : json(400, { error: "invalid_grant" });
  };
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    switch (url.pathname) {
      case "/.well-known/oauth-protected-resource":
      case "/.well-known/oauth-protected-resource/mcp":
        return json(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
      case "/.well-known/oauth-authorization-server":
        return json(200, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        });
      case "/register": {
        const client = (await request.json()) as object;
        registered.push(client);
        return json(201, { ...client, client_id: `client_${registered.length}` });
      }
      case "/token":
        return token(new URLSearchParams(await request.text()));
      case "/mcp": {
        const bearer = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
        const given = scopesByAccess.get(bearer);
        const where = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
        const refused = (status: number, words: string) =>
          new Response("", { status, headers: { "www-authenticate": `Bearer ${words}${where}` } });
        if (given === undefined) return refused(401, "");
        const isCall = request.headers.get("mcp-method") === "tools/call";
        return isCall && forCalls !== null && !given.split(" ").includes(forCalls)
          ? refused(403, `error="insufficient_scope", scope="${forCalls}", `)
          : handler.fetch(request);
      }
      default:
        return new Response("", { status: 404 });
    }
  };
  const server = createServer((incoming, outgoing) => {
    void requestOf(incoming, origin)
      .then(answer)
      .then(async (response) => {
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        for await (const chunk of response.body ?? []) outgoing.write(chunk);
        outgoing.end();
      })
      .catch(() => outgoing.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/mcp`,
    origin,
    registered,
    grants,
    scopes,
    wantForCalls: (scope) => {
      forCalls = scope;
    },
    expire: () => scopesByAccess.clear(),
    async allow(authorizationUrl) {
      const { searchParams } = new URL(authorizationUrl);
      const of = (name: string): string => searchParams.get(name) ?? "";
      const code = randomUUID();
      const scope = searchParams.get("scope");
      scopes.push(scope);
      codes.set(code, {
        challenge: of("code_challenge"),
        redirect: of("redirect_uri"),
        client: of("client_id"),
        scope: scope ?? "read",
      });
      const back = new URL(of("redirect_uri"));
      back.searchParams.set("code", code);
      back.searchParams.set("state", of("state"));
      return back;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function requestOf(incoming: IncomingMessage, origin: string): Promise<Request> {
  const bytes: Buffer[] = [];
  for await (const chunk of incoming) bytes.push(chunk as Buffer);
  const { method = "GET", headers } = incoming;
  return new Request(new URL(incoming.url ?? "/", origin), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    ...(bytes.length === 0 ? {} : { body: Buffer.concat(bytes) }),
  });
}
