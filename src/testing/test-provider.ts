import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Who signs in at the provider next. */
interface ProviderPerson {
  readonly sub: string;
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly amr?: readonly string[];
}

/** What the provider does wrong. */
export type ProviderFault = "issuer" | "nonce" | "audience" | "signature" | "expired" | "no-token";

/** A provider of OpenID Connect as another program would be one: codes once, PKCE, signed tokens, a client with a secret. */
export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  person: ProviderPerson;
  fault: ProviderFault | null;
  /** The addresses that browsers were sent back to. */
  readonly sentBack: readonly string[];
  close(): Promise<void>;
}

interface Grant {
  readonly person: ProviderPerson;
  readonly nonce: string;
  readonly challenge: string;
  readonly redirect: string;
}

export async function startTestProvider(): Promise<TestProvider> {
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const otherKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  const sentBack: string[] = [];
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = {
    issuer,
    clientId: "heddle",
    clientSecret: randomBytes(16).toString("hex"),
    person: { sub: "1" } as ProviderPerson,
    fault: null as ProviderFault | null,
    sentBack,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: asked } = new URL(request.url ?? "/", issuer);
    if (pathname === "/.well-known/openid-configuration") return json(response, 200, metadata());
    if (pathname === "/keys") {
      return json(response, 200, {
        keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }],
      });
    }
    if (pathname === "/authorize") return authorize(asked, response);
    if (pathname === "/token") return token(request, new URLSearchParams(await text(request)), response);
    return json(response, 404, {});
  }

  function metadata(): object {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  function authorize(asked: URLSearchParams, response: ServerResponse): void {
    const code = randomBytes(16).toString("hex");
    const redirect = asked.get("redirect_uri") ?? "";
    const nonce = asked.get("nonce") ?? "";
    grants.set(code, { person: provider.person, nonce, challenge: asked.get("code_challenge") ?? "", redirect });
    const back = new URL(redirect);
    back.search = new URLSearchParams({ code, state: asked.get("state") ?? "", iss: issuer }).toString();
    sentBack.push(back.href);
    response.writeHead(302, { location: back.href }).end();
  }

  function token(request: IncomingMessage, body: URLSearchParams, response: ServerResponse): void {
    const code = body.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const basic = `Basic ${Buffer.from(`${provider.clientId}:${provider.clientSecret}`).toString("base64")}`;
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    if (request.headers.authorization !== basic) return json(response, 401, { error: "invalid_client" });
    if (grant === undefined || grant.challenge !== challenge || grant.redirect !== body.get("redirect_uri")) {
      return json(response, 400, { error: "invalid_grant" });
    }
    const { fault } = provider;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...grant.person,
      iss: fault === "issuer" ? "https://elsewhere.example.org" : issuer,
      aud: fault === "audience" ? "another" : provider.clientId,
      nonce: fault === "nonce" ? "another" : grant.nonce,
      iat: fault === "expired" ? now - 7_200 : now,
      exp: fault === "expired" ? now - 3_600 : now + 300,
      auth_time: now,
    };
    const id_token = signed(claims, fault === "signature" ? otherKeys.privateKey : keys.privateKey);
    json(response, 200, {
      access_token: randomBytes(16).toString("hex"),
      token_type: "Bearer",
      ...(fault === "no-token" ? {} : { id_token }),
    });
  }

  return provider;
}

function signed(claims: object, key: KeyObject): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${part({ alg: "RS256", kid: "1", typ: "JWT" })}.${part(claims)}`;
  return `${body}.${sign("sha256", Buffer.from(body), key).toString("base64url")}`;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
