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
  /** Makes every access token invalid, as time does. */
  expire(): void;
  /** What a browser is sent back with, after a person allowed it. */
  allow(authorizationUrl: string): Promise<URL>;
  close(): Promise<void>;
}

export async function serveSigned(): Promise<SignedFixture> {
  const handler = createMcpHandler(() => fixtureServer());
  const codes = new Map<string, { readonly challenge: string; readonly redirect: string; readonly client: string }>();
  const accessTokens = new Set<string>();
  const refreshTokens = new Set<string>();
  const registered: object[] = [];
  const grants: string[] = [];
  let origin = "";
  const json = (status: number, value: object) => Response.json(value, { status });
  const newTokens = () => {
    const [access, refresh] = [randomUUID(), randomUUID()];
    accessTokens.add(access);
    refreshTokens.add(refresh);
    return json(200, { access_token: access, refresh_token: refresh, token_type: "Bearer", expires_in: 3600 });
  };
  const token = (form: URLSearchParams): Response => {
    const grant = form.get("grant_type") ?? "";
    grants.push(grant);
    if (grant === "refresh_token") {
      return refreshTokens.delete(form.get("refresh_token") ?? "")
        ? newTokens()
        : json(400, { error: "invalid_grant" });
    }
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood = code?.challenge === challenge && code.redirect === form.get("redirect_uri");
    return isGood ? newTokens() : json(400, { error: "invalid_grant" });
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
        if (accessTokens.has(bearer)) return handler.fetch(request);
        const where = `${origin}/.well-known/oauth-protected-resource/mcp`;
        return new Response("", {
          status: 401,
          headers: { "www-authenticate": `Bearer resource_metadata="${where}"` },
        });
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
    expire: () => accessTokens.clear(),
    async allow(authorizationUrl) {
      const { searchParams } = new URL(authorizationUrl);
      const of = (name: string): string => searchParams.get(name) ?? "";
      const code = randomUUID();
      codes.set(code, { challenge: of("code_challenge"), redirect: of("redirect_uri"), client: of("client_id") });
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
